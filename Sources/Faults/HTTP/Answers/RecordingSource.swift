public import Framing

/// Where recorded answers come from that rules give.
public struct RecordingSource: Sendable {
    /// A complete request of a client.
    public struct Request: Sendable {
        /// Its head, as the client sent it.
        public var head: HTTPHead
        /// Its content without transfer coding.
        public var content: [UInt8]
        /// The server of a reverse proxy or of a tunnel; nil in a forward proxy outside of tunnels.
        public var server: GateContext.Server?
        /// Whether the client uses TLS.
        public var isClientTLS: Bool

        /// A request with these values.
        public init(
            head: HTTPHead, content: [UInt8], server: GateContext.Server?, isClientTLS: Bool
        ) {
            self.head = head
            self.content = content
            self.server = server
            self.isClientTLS = isClientTLS
        }
    }

    /// What a recording has for a request.
    public enum Answer: Hashable, Sendable {
        /// An answer in full, with a length or none, and whether the connection ends after it.
        case recorded([UInt8], closes: Bool)
        /// Nothing; the reason in words.
        case missed(String)
    }

    private let open: @Sendable (String) -> String?
    private let find: @Sendable (String, Request) -> Answer

    /// No recordings.
    public static let none = RecordingSource(
        open: { _ in "recordings cannot be read here" },
        answer: { _, _ in .missed("recordings cannot be read here") })

    /// Recordings that `open` and `answer` have.
    ///
    /// - Parameters:
    ///   - open: Reads the trace at a path, once, and returns why that is impossible; nil where it
    ///     succeeded. It may block its caller.
    ///   - answer: Finds the answer of such a trace to a request, and counts it as used. It does not
    ///     wait for a disk.
    public init(
        open: @escaping @Sendable (String) -> String?,
        answer: @escaping @Sendable (String, Request) -> Answer
    ) {
        self.open = open
        find = answer
    }

    /// Why the trace at a path cannot be read, in words; nil where it was.
    func problem(_ path: String) -> String? { open(path) }

    /// The answer of the trace at a path to a request.
    func answer(_ path: String, to request: Request) -> Answer { find(path, request) }
}
