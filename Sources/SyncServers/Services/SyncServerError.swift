/// Why an embedded server could not be started.
public struct SyncServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure, on which exit statuses depend.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another program listens there.
        case addressInUse
        /// The address is none of this machine, or may not be listened on.
        case badAddress
        /// The state file cannot be opened or made.
        case stateNotThere
        /// The state file belongs to another server that runs.
        case stateInUse
        /// The state file is something else, or damaged.
        case badState
        /// Something else; the reason quotes it.
        case failed
    }

    /// The kind of the failure.
    public let code: Code
    /// What happened, as text.
    public let reason: String

    /// An error of kind `code` with an explanation.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Compares codes only, so that tests need not repeat prose.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }

    /// Hashes the code alone, as ``==(_:_:)`` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The reason.
    public var description: String { reason }
}
