/// Why a certificate authority, a leaf certificate, a trust store or a key log is not available.
public struct InterceptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure, on which callers and exit statuses depend.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// There is no certificate authority in the directory.
        case missing
        /// Others than its owner can read the private key.
        case exposedKey
        /// A file is there and does not hold what it should.
        case damaged
        /// The certificate authority is no longer valid.
        case expired
        /// A file or directory could not be read or written; the reason quotes the system.
        case storage
        /// No certificate can be made for this host name.
        case badHost
        /// The TLS library refused; the reason quotes it.
        case refused
    }

    /// The kind of the failure.
    public let code: Code
    /// What happened and what to do about it, as text, without a full stop.
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
