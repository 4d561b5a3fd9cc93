/// Why packets could not be read.
public struct CaptureError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The kind of a failure, on which callers and exit statuses depend.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The file is not there or cannot be opened.
        case cannotOpen = "cannot-open"
        /// The file is in no format that is read.
        case unknownFormat = "unknown-format"
        /// The file is compressed.
        case compressed
        /// The file is malformed; the packets before the error were returned.
        case malformed
        /// Reading failed.
        case storage
        /// There is no such interface, or it does not work.
        case noInterface = "no-interface"
        /// This process may not capture.
        case notPermitted = "not-permitted"
        /// The expression that selects packets is invalid.
        case badExpression = "bad-expression"
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, to what, and what to do about it, as one line of text.
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
