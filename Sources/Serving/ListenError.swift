internal import NIOCore

/// Why a server does not listen.
package struct ListenError: Error, Hashable, Sendable {
    /// The `errno`; nil where it failed before the system was asked.
    package let code: Int32?
    /// What the library says of it.
    package let reason: String

    /// What the library said.
    package init(_ error: any Error) {
        code = (error as? IOError)?.errnoCode
        reason =
            error is SocketAddressError.UnknownHost
            ? "the name is not known; use an address" : "\(error)"
    }
}
