/// An action with its arguments, checked against the catalogue.
///
/// Made by ``FaultPlan`` alone outside of tests, so that every argument has the type that
/// ``ActionKind/specification`` names and every required one is there.
public struct FaultAction: Hashable, Sendable {
    /// The value of an argument.
    public enum Argument: Hashable, Sendable {
        /// A whole number: a status, a count, bytes, bytes each second.
        case integer(Int64)
        /// A span of time in nanoseconds.
        case duration(Int64)
        /// Text.
        case text(String)
        /// Yes or no.
        case flag(Bool)
        /// Several texts, as of repeated headers.
        case texts([String])
    }

    /// What is done.
    public let kind: ActionKind
    /// The arguments by name.
    public let arguments: [String: Argument]
    /// The action as plans write it: `status 503 retry-after=30`.
    ///
    /// Made once, since every row about the action has it.
    public let description: String

    /// The action `kind` with `arguments`.
    public init(_ kind: ActionKind, _ arguments: [String: Argument] = [:]) {
        self.kind = kind
        self.arguments = arguments
        description = Self.text(kind, arguments)
    }

    /// A whole number, or nil where the argument was not given.
    public func integer(_ name: String) -> Int64? {
        if case .integer(let value) = arguments[name] { value } else { nil }
    }

    /// Nanoseconds, or nil where the argument was not given.
    public func duration(_ name: String) -> Int64? {
        if case .duration(let value) = arguments[name] { value } else { nil }
    }

    /// A text, or nil where the argument was not given.
    public func text(_ name: String) -> String? {
        if case .text(let value) = arguments[name] { value } else { nil }
    }

    /// Several texts; empty where the argument was not given.
    public func texts(_ name: String) -> [String] {
        switch arguments[name] {
        case .texts(let values): values
        case .text(let value): [value]
        default: []
        }
    }

    /// Whether the argument was given as true.
    public func flag(_ name: String) -> Bool { arguments[name] == .flag(true) }
}
