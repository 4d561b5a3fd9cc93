/// Why a proxy could not be started.
public struct ProxyError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure, on which exit statuses depend.
    public enum Code: String, Hashable, Sendable {
        /// Another program listens there.
        case addressInUse
        /// The address is none of this machine's, or can not be resolved.
        case badAddress
        /// The system does not allow it.
        case notPermitted
        /// Something else.
        case failed
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do, in one line.
    public let reason: String

    /// A failure of kind `code`.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }
}
