package import NIOCore

/// Answers what a server is asked.
package struct Responder: Sendable {
    /// Answers a request, which is whole and hostile, from a client at an address; on the event loop
    /// where the answer is wanted.
    package typealias Answer =
        @Sendable (ServedRequest, SocketAddress?, any EventLoop) -> EventLoopFuture<ServedAnswer>
    /// Answers a request that is not taken; without a request where not even its head came.
    package typealias Refusal = @Sendable (RequestProblem, ServedRequest?) -> ServedAnswer

    let answer: Answer
    let refuse: Refusal

    /// A responder that answers by futures.
    ///
    /// - Parameters:
    ///   - answer: Answers requests; it has to succeed.
    ///   - refuse: Answers those that are not taken.
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
    ///   - refuse: Answers those that are not taken.
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

/// Why a request is not taken.
package enum RequestProblem: Hashable, Sendable {
    /// It is no HTTP.
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
