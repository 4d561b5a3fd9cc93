/// Where a server listens.
package enum ListeningPlace: Hashable, Sendable {
    /// An IP address or name of this machine, and a TCP port; 0 asks for a free one.
    case tcp(host: String, port: Int)
    /// The descriptor of a socket that is bound already; it is closed with the server, and its path
    /// stays.
    case bound(Int32)
}
