/// Where a server listens.
package enum ListeningPlace: Hashable, Sendable {
    /// An IP address or name of this machine, and a TCP port; 0 asks for a free one.
    case tcp(host: String, port: Int)
    /// A path at which nothing is yet, for a Unix-domain socket.
    case unix(path: String)
}
