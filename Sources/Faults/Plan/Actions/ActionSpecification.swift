public import Filters

/// The catalogue entry of an action; parser, schema and documentation are derived from it.
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

    init(
        _ kind: ActionKind, _ parameters: [Parameter] = [], _ phases: [FilterPhase],
        implied: String = "", _ sentence: String, example: String
    ) {
        self.kind = kind
        self.parameters = parameters
        self.phases = phases
        impliedText = implied
        // Only texts of the catalogue come here, and a test reads each.
        self.implied = implied.isEmpty ? nil : try? Filter.parse(implied)
        self.sentence = sentence
        self.example = example
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

extension ActionKind {
    /// The catalogue entry of the action.
    public var specification: ActionSpecification {
        // Every kind is there; a test makes sure.
        Self.catalogue[self] ?? ActionSpecification(self, [], [], "", example: "")
    }

    /// The specifications, by action.
    private static let catalogue: [ActionKind: ActionSpecification] = Dictionary(
        (ActionSpecification.exchanges + ActionSpecification.commands
            + ActionSpecification.transport).map { ($0.kind, $0) },
        uniquingKeysWith: { first, _ in first })
}
