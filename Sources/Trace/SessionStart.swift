/// The properties of a session when it starts.
public struct SessionStart: Hashable, Sendable {
    /// The source of bytes.
    public enum Provenance: String, Hashable, Sendable, CaseIterable {
        /// This program was the proxy between client and server.
        case proxy
        /// A network interface.
        case capture
        /// A file of packets.
        case pcap
        /// An HTTP archive, which has no bytes: they are synthesized from it.
        case har
        /// A file of flows that mitmproxy wrote; bytes are synthesized from it.
        case mitmproxy
    }

    /// The source of the bytes.
    public var provenance: Provenance
    /// Version of the program that writes.
    public var version: String
    /// Its command line.
    public var arguments: String
    /// Wall clock in nanoseconds since 1970 UTC, when the session's clock is 0.
    public var startedUnixNanoseconds: Int64
    /// Random seed of its faults; nil without faults.
    public var seed: UInt64?

    /// A session with these particulars.
    public init(
        provenance: Provenance, version: String, arguments: String, startedUnixNanoseconds: Int64,
        seed: UInt64? = nil
    ) {
        self.provenance = provenance
        self.version = version
        self.arguments = arguments
        self.startedUnixNanoseconds = startedUnixNanoseconds
        self.seed = seed
    }
}
