/// Why a trace could not be opened, read or written.
public struct TraceError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The kind of a failure, on which callers and exit statuses depend.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The file is not a SQLite database, or another program's.
        case notATrace = "not-a-trace"
        /// A later version of this program wrote the file.
        case newerFormat = "newer-format"
        /// An earlier version of this program wrote the file, and reading alone cannot change it.
        case olderFormat = "older-format"
        /// Another writer has the trace.
        case busy
        /// The file cannot be opened or created.
        case cannotOpen = "cannot-open"
        /// There is no room on the disk, or the disk fails.
        case diskFull = "disk-full"
        /// The file was deleted, replaced or truncated while it was written.
        case lost
        /// The requested object is not in the trace.
        case notFound = "not-found"
        /// SQLite failed; the reason quotes it.
        case storage
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do about it, in one line.
    public let reason: String

    /// A failure of this kind, described by `reason`.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }

    /// Compares codes only, so that tests need not repeat prose.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }

    /// Hashes the code only, as `==` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
