/// What a fault does to the traffic; the raw value is the name in plans.
public enum ActionKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    // Answers to requests, and changes of exchanges.
    case status
    case loseAnswer = "lose-answer"
    case answerTwice = "answer-twice"
    case truncate
    case corrupt
    case length
    case contentType = "content-type"
    case cutXML = "cut-xml"
    case setHeader = "set-header"
    case removeHeader = "remove-header"
    // Answers to Simperium commands, and changes of them.
    case error
    case cvUnknown = "cv-unknown"
    case changeUnknown = "change-unknown"
    case entityUnknown = "entity-unknown"
    case authFailure = "auth-failure"
    case authExpired = "auth-expired"
    case moveCurrent = "move-current"
    case foreignCcids = "foreign-ccids"
    case versionGap = "version-gap"
    case compact
    case malformedDelta = "malformed-delta"
    case wrongHeartbeat = "wrong-heartbeat"
    case unknownChannel = "unknown-channel"
    case send
    // Exchanges and messages alike.
    case drop
    case doubled = "repeat"
    case reorder
    // Bytes and connections.
    case latency
    case bandwidth
    case slice
    case stall
    case cut
    case blackout
    case close
    case reset
    case halfClose = "half-close"
    case closeCode = "close-code"
    case refuse
    case tlsFailure = "tls-failure"
    case expiredCertificate = "expired-certificate"

    /// The name in plans.
    public var description: String { rawValue }
}
