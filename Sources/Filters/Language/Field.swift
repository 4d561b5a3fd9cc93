/// The fields of a filter; the raw value is the name in the language.
///
/// ``header``, ``requestHeader``, ``responseHeader`` and ``label`` are families: the name of a header
/// or label follows theirs after a dot.
public enum Field: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    // What all have.
    case kind, id, session, connection, at, size, body, text, note, problem
    // Fields of traces alone.
    case fault, verdict, intervention, finding, undecided, fate
    // Fields of fleets alone.
    case recorder, label
    // Exchanges, and what some share with messages.
    case api, method, scheme, host, port, path, query, url, version, status, reason
    case outcome, duration, device, local
    case requestSize = "request.size"
    case responseSize = "response.size"
    case retryAfter = "retry-after"
    case header
    case requestHeader = "request.header"
    case responseHeader = "response.header"
    case requestBody = "request.body"
    case responseBody = "response.body"
    case document, nature, xmlns, instance
    case syncToken = "sync-token"
    // Commands and messages.
    case sender, payload, command, channel, bucket, app, key, cv, error, ccid, clientid
    case operation, sv, ev
    case opcode
    case closeCode = "close-code"

    /// All fields, in the order in which the documentation lists them.
    public static var all: [Field] { allCases }

    /// The name in the language.
    public var description: String { rawValue }

    /// Whether the name of a header or label has to follow.
    public var isFamily: Bool {
        self == .header || self == .requestHeader || self == .responseHeader || self == .label
    }

    /// Whether only rows of a fleet have it: in a trace no row has a value.
    public var isOfFleetAlone: Bool { self == .recorder || self == .label }

    /// Whether only stored rows have it: it is stated when what it is about has passed.
    public var isOfTraceAlone: Bool {
        [.fault, .verdict, .intervention, .finding, .undecided, .fate].contains(self)
            || isOfFleetAlone
    }

    /// Whether the field has its value when live traffic is at `phase`.
    public func isKnown(at phase: FilterPhase) -> Bool {
        switch phase {
        case .command: !isOfTraceAlone && details.subjects.contains(.command)
        case .message: !isOfTraceAlone && details.subjects.contains(.message)
        case .connection, .handshake, .requestHead, .requestBody, .responseHead, .responseBody:
            details.since.map { $0.rawValue <= phase.rawValue } ?? false
        }
    }
}
