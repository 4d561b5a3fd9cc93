/// What a fault does to the traffic; the raw value is the name in plans.
///
/// The list of all actions: each has a case, in the order of the documentation, and the declaration
/// in its file.
public enum ActionKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    // Answers to requests, and changes of exchanges.
    case status
    case answer
    case loseAnswer = "lose-answer"
    case answerTwice = "answer-twice"
    case truncate
    case corrupt
    case length
    case contentType = "content-type"
    case cutXML = "cut-xml"
    case setHeader = "set-header"
    case removeHeader = "remove-header"
    case addHeader = "add-header"
    case edit
    case map
    case serve
    case recorded
    case redirect
    case block
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
    case editObject = "edit-object"
    case compact
    case malformedDelta = "malformed-delta"
    case wrongHeartbeat = "wrong-heartbeat"
    case unknownChannel = "unknown-channel"
    case send
    // Exchanges and messages alike.
    case drop
    case hold
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

extension ActionKind {
    /// What is declared about the action.
    public var specification: ActionSpecification {
        switch self {
        case .status: .status
        case .answer: .answer
        case .loseAnswer: .loseAnswer
        case .answerTwice: .answerTwice
        case .truncate: .truncate
        case .corrupt: .corrupt
        case .length: .length
        case .contentType: .contentType
        case .cutXML: .cutXML
        case .setHeader: .setHeader
        case .removeHeader: .removeHeader
        case .addHeader: .addHeader
        case .edit: .edit
        case .map: .map
        case .serve: .serve
        case .recorded: .recorded
        case .redirect: .redirect
        case .block: .block
        case .error: .error
        case .cvUnknown: .cvUnknown
        case .changeUnknown: .changeUnknown
        case .entityUnknown: .entityUnknown
        case .authFailure: .authFailure
        case .authExpired: .authExpired
        case .moveCurrent: .moveCurrent
        case .foreignCcids: .foreignCcids
        case .versionGap: .versionGap
        case .editObject: .editObject
        case .compact: .compact
        case .malformedDelta: .malformedDelta
        case .wrongHeartbeat: .wrongHeartbeat
        case .unknownChannel: .unknownChannel
        case .send: .send
        case .drop: .drop
        case .hold: .hold
        case .doubled: .doubled
        case .reorder: .reorder
        case .latency: .latency
        case .bandwidth: .bandwidth
        case .slice: .slice
        case .stall: .stall
        case .cut: .cut
        case .blackout: .blackout
        case .close: .close
        case .reset: .reset
        case .halfClose: .halfClose
        case .closeCode: .closeCode
        case .refuse: .refuse
        case .tlsFailure: .tlsFailure
        case .expiredCertificate: .expiredCertificate
        }
    }
}
