import Platform
import Serving

/// Why a control interface could not be started.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, on which exit statuses depend.
    public enum Code: String, Hashable, Sendable {
        /// Another program listens there.
        case inUse
        /// The path or the address cannot be listened on.
        case badAddress
        /// The address can be reached from other machines.
        case notLoopback
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

extension ControlError {
    /// Why `place` cannot be listened on.
    init(listening place: String, _ error: ListenError) {
        if error.code == EADDRINUSE {
            self.init(
                .inUse,
                "\(place) is taken by another program; choose another port with --control-listen, or 0 for a free one"
            )
        } else {
            self.init(.badAddress, "cannot listen on \(place): \(error.reason)")
        }
    }
}
