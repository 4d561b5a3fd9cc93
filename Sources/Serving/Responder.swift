package import NIOCore

/// Answers the requests to a server.
package struct Responder: Sendable {
    /// Answers a request, which is complete and untrusted, from a client at an address; on the
    /// event loop where the answer is needed.
    package typealias Answer =
        @Sendable (ServedRequest, SocketAddress?, any EventLoop) -> EventLoopFuture<ServedAnswer>
    /// Answers a rejected request; without a request where not even its head was received.
    package typealias Refusal = @Sendable (RequestProblem, ServedRequest?) -> ServedAnswer

    let answer: Answer
    let refuse: Refusal

    /// A responder that answers by futures.
    ///
    /// - Parameters:
    ///   - answer: Answers requests; it has to succeed.
    ///   - refuse: Answers rejected ones.
    package init(
        answer: @escaping Answer, refuse: @escaping Refusal = { problem, _ in problem.answer }
    ) {
        self.answer = answer
        self.refuse = refuse
    }

    /// A responder that answers by tasks.
    ///
    /// - Parameters:
    ///   - answer: Answers requests.
    ///   - refuse: Answers rejected ones.
    package init(
        answer: @escaping @Sendable (ServedRequest) async -> ServedAnswer,
        refuse: @escaping Refusal = { problem, _ in problem.answer }
    ) {
        self.init(
            answer: { request, _, loop in
                loop.makeFutureWithTask { await answer(request) }
            }, refuse: refuse)
    }
}

/// Why a request is rejected.
package enum RequestProblem: Hashable, Sendable {
    /// It is not HTTP.
    case malformed
    /// Its head exceeds ``HTTPServer/Limits/headBytes`` or ``HTTPServer/Limits/headFields``.
    case longHead
    /// Its body exceeds this number of bytes.
    case longBody(limit: Int)

    /// The answer of servers that have no other.
    var answer: ServedAnswer {
        switch self {
        case .malformed, .longHead: ServedAnswer(400)
        case .longBody(let limit): .text(413, "The body exceeds \(limit) bytes")
        }
    }
}
