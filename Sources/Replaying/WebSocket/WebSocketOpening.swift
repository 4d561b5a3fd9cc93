/// The request that opens a recorded WebSocket again, and what its answer is compared with.
///
/// Path, query and header fields are those of the recorded request with the cookies, tokens and
/// credentials of this run. What belongs to one handshake is left to who sends it. Source: RFC 6455,
/// 4.1.
public struct WebSocketOpening: Sendable {
    /// Header fields that belong to one handshake, in lower case.
    private static let ownFields: Set<String> = [
        "upgrade", "connection", "sec-websocket-key", "sec-websocket-version",
        "sec-websocket-extensions", "sec-websocket-accept",
    ]

    private let plan: HTTPPlayPlan
    /// The request, without the fields that belong to one handshake.
    public let request: HTTPPlayRequest
    /// Values of the recorded `Sec-WebSocket-Extensions` fields, in order.
    public let extensions: [String]

    /// The request for a run.
    ///
    /// - Parameters:
    ///   - exchange: The recorded exchange.
    ///   - recording: What was recorded of it.
    ///   - options: How it is played.
    ///   - identity: What things are called in this run.
    public init(
        _ exchange: RecordedExchange, _ recording: HTTPRecording, options: HTTPPlayOptions,
        _ identity: inout ReplayIdentity
    ) {
        var recording = recording
        extensions = recording.request.fields.filter {
            $0.name.lowercased() == "sec-websocket-extensions"
        }.map(\.value)
        recording.response = recording.response.map(Self.withoutOwn)
        plan = HTTPPlayPlan(exchange, recording, options)
        var cases = HTTPDeviceCases([RecordedExchange]())
        var request =
            identity.isVerbatim ? plan.verbatim() : plan.request(&identity, &cases)
        request.fields.removeAll { Self.ownFields.contains($0.name.lowercased()) }
        self.request = request
    }

    /// Processes the answer that opened a socket: values that it issues are used later.
    ///
    /// - Parameters:
    ///   - answer: The header fields of the answer, whose status is 101.
    ///   - identity: Takes the cookies.
    /// - Returns: Where it differs from the recorded one.
    public func opened(
        _ answer: ReplayMessage, _ identity: inout ReplayIdentity
    ) -> Differences {
        if let recorded = plan.recording.response { identity.learnCookies(recorded, answer) }
        return plan.compare(HTTPPlayAnswer(101, Self.withoutOwn(answer)), identity)
    }

    /// Where an answer that opened no socket differs from the recorded one.
    ///
    /// - Parameter status: Its status.
    /// - Returns: The status alone: the rest of such an answer does not concern the socket.
    public func refused(_ status: Int) -> Differences {
        var found = Differences()
        found.add(
            Difference(
                .status, recorded: plan.exchange.status.map { String($0) } ?? "101",
                live: String(status)))
        return found
    }

    private static func withoutOwn(_ message: ReplayMessage) -> ReplayMessage {
        var message = message
        message.fields.removeAll { ownFields.contains($0.name.lowercased()) }
        return message
    }
}
