/// Why an address cannot be listened on, as its user gets it.
package struct ListenFailure: Hashable, Sendable {
    /// What is in the way.
    package enum Kind: Hashable, Sendable {
        /// Another program listens there.
        case taken
        /// The address is none of this machine's.
        case notHere
        /// The system does not allow it.
        case notPermitted
        /// Something else.
        case other
    }

    /// What is in the way.
    package let kind: Kind
    /// What happened and what to do, in one line.
    package let reason: String

    /// Classifies an error of the system.
    ///
    /// - Parameters:
    ///   - code: The `errno`; nil where it failed before the system call.
    ///   - host: What was to be listened on.
    ///   - port: The port.
    ///   - otherwise: The text for other failures.
    package init(_ code: Int32?, host: String, port: Int, otherwise: String) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        switch code {
        case EADDRINUSE:
            kind = .taken
            reason =
                "\(place) is taken by another program; choose another port with --listen, or 0 for a free one"
        case EADDRNOTAVAIL:
            kind = .notHere
            reason = "\(place) is not an address of this machine"
        case EACCES, EPERM:
            kind = .notPermitted
            reason = "this user may not listen on \(place); choose a port above 1023"
        default:
            kind = .other
            reason = "cannot listen on \(place): \(otherwise)"
        }
    }
}
