/// Why a file of users and applications cannot be used.
public struct AccountsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Line of the file, from 1.
    public let line: Int
    /// The error, as text.
    public let reason: String

    /// An error on a line.
    public init(line: Int, _ reason: String) {
        self.line = line
        self.reason = reason
    }

    /// The line and the reason.
    public var description: String { "line \(line): \(reason)" }
}
