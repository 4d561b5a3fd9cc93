/// What is known of a session when it starts.
public struct SessionStart: Hashable, Sendable {
    /// Where bytes come from.
    public enum Provenance: String, Hashable, Sendable, CaseIterable {
        /// This program stood between client and server.
        case proxy
        /// A network interface.
        case capture
        /// A file of packets.
        case pcap
        /// An HTTP archive, which has no bytes: they are made up from it.
        case har
        /// A file of flows that mitmproxy wrote; bytes are made up from it.
        case mitmproxy
    }

    /// Where the bytes come from.
    public var provenance: Provenance
    /// Version of the program that writes.
    public var version: String
    /// What it was asked to do, as on a command line.
    public var arguments: String
    /// Wall clock in nanoseconds since 1970 UTC, at the moment when the session's clock is 0.
    public var startedUnixNanoseconds: Int64
    /// Seed of all chance in its faults; nil without faults.
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
