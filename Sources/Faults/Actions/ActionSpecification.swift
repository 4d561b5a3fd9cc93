public import Filters
public import Wire

/// What is declared about an action: parser, schema, documentation, the effect in the trace and what
/// shows a recovery are derived from it.
public struct ActionSpecification: Sendable {
    /// An argument of an action.
    public struct Parameter: Hashable, Sendable {
        /// What its values are, and how they are written.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A whole number.
            case integer
            /// A number of bytes, with or without a unit: `512`, `10KiB`.
            case size
            /// A number with a unit, or several: `300ms`, `1m30s`.
            case duration
            /// Text.
            case text
            /// A whole number, or else text.
            case integerOrText = "integer or text"
            /// True or false; the name alone is true.
            case flag
            /// Text, any number of times.
            case texts
        }

        /// The name.
        public let name: String
        /// What its values are.
        public let kind: Kind
        /// Whether it may be written without its name, in the order of the parameters.
        public let isPositional: Bool
        /// Whether it has to be given.
        public let isRequired: Bool
        /// All texts there are; nil where that is open.
        public let values: [String]?
        /// The numbers there are: nanoseconds for durations, bytes for sizes.
        public let range: ClosedRange<Int64>?
        /// What it is, in one sentence with its default.
        public let sentence: String

        init(
            _ name: String, _ kind: Kind, positional: Bool = false, required: Bool = false,
            values: [String]? = nil, range: ClosedRange<Int64>? = nil, _ sentence: String
        ) {
            self.name = name
            self.kind = kind
            isPositional = positional
            isRequired = required
            self.values = values
            self.range = range
            self.sentence = sentence
        }
    }

    /// How an action was applied once, on which its effect may depend.
    package struct Application: Sendable {
        /// The action with its arguments.
        package var action: FaultAction
        /// Whose bytes it was applied to; nil where it was applied to no bytes.
        package var sender: Peer?
        /// Whether the message that it was applied to came with it: an action that ends the
        /// connection took that message then.
        package var hasTaken: Bool
    }

    /// The action.
    public let kind: ActionKind
    /// Its arguments; those that may be written without a name first.
    public let parameters: [Parameter]
    /// The phases of live traffic in which it can be carried out, in their order.
    public let phases: [FilterPhase]
    /// The filter that has to hold besides that of the rule, as text; empty where none has to.
    public let impliedText: String
    /// The filter that has to hold besides that of the rule.
    public let implied: Filter?
    /// What it does, in one sentence or two.
    public let sentence: String
    /// A rule with it, in the one-line form.
    public let example: String
    /// What it does to the bytes of each side and to time.
    package let effect: @Sendable (Application) -> FaultEffect
    /// What shows that a client recovered from it.
    package let recovery: ActionRecovery
    /// What it is for.
    public let purpose: FaultRow.Purpose
    /// Why its arguments do not go together, in words; nil where they do.
    let problem: @Sendable (FaultAction) -> String?
    /// Names of arguments of which at most one may be given.
    let exclusive: [String]
    /// Whose message of an exchange it is for; nil for that in whose phase it is evaluated.
    let side: @Sendable (FaultAction) -> Peer?
    /// Why it cannot be carried out later than its event in a phase; nil where it can.
    let refusalToWait: @Sendable (FaultAction, FilterPhase) -> String?
    /// Whether the action draws something at random.
    let isRandom: @Sendable (FaultAction) -> Bool
    /// Whether it lasts for the times of its schedule.
    let lastsForWindow: @Sendable (FaultAction) -> Bool
    /// Whether it needs no event, so that it can be fired on a connection on request.
    package let isFireable: Bool

    init(
        _ kind: ActionKind, _ parameters: [Parameter] = [], _ phases: [FilterPhase],
        implied: String = "", _ sentence: String, example: String,
        effect: @escaping @Sendable (Application) -> FaultEffect, recovery: ActionRecovery,
        purpose: FaultRow.Purpose = .fault,
        problem: @escaping @Sendable (FaultAction) -> String? = { _ in nil },
        exclusive: [String] = [],
        side: @escaping @Sendable (FaultAction) -> Peer? = { _ in nil },
        refusalToWait: @escaping @Sendable (FaultAction, FilterPhase) -> String? = { _, _ in nil },
        isRandom: @escaping @Sendable (FaultAction) -> Bool = { _ in false },
        lastsForWindow: @escaping @Sendable (FaultAction) -> Bool = { _ in false },
        isFireable: Bool = false
    ) {
        self.kind = kind
        self.parameters = parameters
        self.phases = phases
        impliedText = implied
        // Only texts of declarations come here, and a test reads each.
        self.implied = implied.isEmpty ? nil : try? Filter.parse(implied)
        self.sentence = sentence
        self.example = example
        self.effect = effect
        self.recovery = recovery
        self.purpose = purpose
        self.problem = problem
        self.exclusive = exclusive
        self.side = side
        self.refusalToWait = refusalToWait
        self.isRandom = isRandom
        self.lastsForWindow = lastsForWindow
        self.isFireable = isFireable
    }

    /// What it can be done to, in the order of phases.
    public var subjects: [FilterSubject] {
        FilterSubject.allCases.filter { subject in phases.contains { $0.subject == subject } }
    }

    /// The parameter of this name.
    public func parameter(_ name: String) -> Parameter? {
        parameters.first { $0.name == name }
    }
}

extension ActionSpecification.Parameter {
    /// Whose bytes are meant: of a request or of its response.
    static let side = Self(
        "sender", .text, values: ["client", "server"],
        "Whose bytes: client for the request, server for the response; default: server.")

    /// Whose bytes are meant, of a connection.
    static let direction = Self(
        "sender", .text, values: ["client", "server"],
        "Whose bytes; default: those of both.")
}

extension [FilterPhase] {
    /// While a response passes.
    static var response: Self { [.responseHead, .responseBody] }
    /// While a request or its response passes.
    static var exchange: Self { [.requestHead, .requestBody] + response }
    /// Everywhere but while a tunnel or TLS begins.
    static var anywhere: Self { [.connection] + exchange + [.command, .message] }
}

extension FilterPhase {
    /// What is judged in this phase; connections are judged as exchanges without a request.
    var subject: FilterSubject {
        switch self {
        case .connection, .handshake, .requestHead, .requestBody, .responseHead, .responseBody:
            .exchange
        case .command: .command
        case .message: .message
        }
    }
}

extension ActionSpecification {
    /// Why an action on a connection that is being opened cannot be carried out later.
    static func whileOpening(_ kind: ActionKind) -> String {
        "after: \(kind) is carried out when the connection or its TLS begins, and cannot be delayed"
    }
}
