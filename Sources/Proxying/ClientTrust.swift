/// What is known of the programs at one address: whether they trust the certificates that they are shown.
public struct ClientTrust: Hashable, Sendable {
    /// A handshake as the server of some host.
    public struct Handshake: Hashable, Sendable {
        /// The host that the client connected to.
        public var host: String
        /// When it was over, in seconds since 1970.
        public var unixSeconds: Int64
        /// Why there is no connection; nil where there is one.
        public var failure: String?

        /// A handshake with this outcome.
        public init(host: String, unixSeconds: Int64, failure: String? = nil) {
            self.host = host
            self.unixSeconds = unixSeconds
            self.failure = failure
        }
    }

    /// The address, without a port.
    public var address: String
    /// The last handshake after which there was a connection; nil where there was none.
    public var accepted: Handshake?
    /// The last one that failed; nil where none did.
    public var refused: Handshake?

    /// Nothing is known of this address yet.
    public init(address: String) { self.address = address }
}
