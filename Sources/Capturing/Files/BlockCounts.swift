/// What there was in a file besides the packets that were given out.
public struct BlockCounts: Hashable, Sendable {
    /// Sections of a pcapng file.
    public internal(set) var sections = 0
    /// Interfaces that pcapng sections describe.
    public internal(set) var interfaces = 0
    /// Records or blocks that hold a packet.
    public internal(set) var packets = 0
    /// Packets without a time, which got that of the previous one.
    public internal(set) var packetsWithoutTime = 0
    /// Blocks with the text of a TLS key log, which were given out.
    public internal(set) var keyLogs = 0
    /// Blocks with secrets of other kinds, which were skipped.
    public internal(set) var otherSecrets = 0
    /// Blocks with names of addresses, which were skipped.
    public internal(set) var nameResolutions = 0
    /// Blocks with statistics of an interface, which were skipped.
    public internal(set) var statistics = 0
    /// Custom blocks, which were skipped.
    public internal(set) var custom = 0
    /// Blocks of unknown types, which were skipped.
    public internal(set) var unknown = 0
    /// Bytes of an incomplete block at the end of the file: the writer was interrupted, or only a
    /// part was copied.
    public internal(set) var cutOffBytes: Int64 = 0

    /// Nothing.
    public init() {}
}
