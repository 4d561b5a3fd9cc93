internal import NIOCore

/// Why a server does not listen.
package struct ListenError: Error, Hashable, Sendable {
    /// The `errno`; nil where it failed before the system call.
    package let code: Int32?
    /// The message of the library.
    package let reason: String

    /// The message of the library.
    package init(_ error: any Error) {
        code = (error as? IOError)?.errnoCode
        reason =
            error is SocketAddressError.UnknownHost
            ? "unknown host name; use an address" : "\(error)"
    }
}
