/// Why something of the fleet could not be done.
public struct FleetError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The kind of a failure, on which callers and exit statuses depend.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The address, a label or an option is wrong.
        case usage
        /// No server answers.
        case unreachable
        /// The server refuses the name, the password or the query for lack of rights.
        case refused
        /// A server of a version that is not supported, or no ClickHouse.
        case version
        /// The tables are not those of this program.
        case schema
        /// The server has no room, no memory or too much to do; it may work later.
        case busy
        /// The server failed; the reason quotes it.
        case server
        /// There is no such trace.
        case missing
        /// The file is no trace, or one of another version.
        case trace
        /// The trace or the file beside it cannot be read or written.
        case storage
        /// Rows of a batch are on the server, but not all of them, or the trace has changed.
        case conflict
        /// The caller asked to stop.
        case stopped
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do about it, in one line.
    public let reason: String
    /// The number of the error on the server, nil where it has none.
    public let number: Int?

    /// A failure of this kind, described by `reason`.
    public init(_ code: Code, _ reason: String, number: Int? = nil) {
        self.code = code
        self.reason = reason
        self.number = number
    }

    /// The reason.
    public var description: String { reason }

    /// Whether the same may succeed later.
    public var mayPass: Bool { code == .unreachable || code == .busy }

    /// Compares codes only, so that tests need not repeat prose.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }

    /// Hashes the code only, as `==` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
