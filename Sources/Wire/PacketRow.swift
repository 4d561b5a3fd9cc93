/// A packet that is kept as it was captured, beside the chunks that were made of it.
///
/// Nothing is decoded from it: it is there for other tools, which see more in packets than a stream.
public struct PacketRow: Hashable, Sendable {
    /// When it was captured, in nanoseconds since 1970 UTC, at least 0.
    public var atUnixNanoseconds: Int64
    /// What its bytes begin with: a LINKTYPE_ number as libpcap assigns them, in 0...65535.
    public var linkType: Int
    /// Bytes that it had on the wire, at least the number of ``bytes``.
    public var originalSize: Int64
    /// The bytes that were captured.
    public var bytes: [UInt8]

    /// A packet with these values.
    public init(atUnixNanoseconds: Int64, linkType: Int, originalSize: Int64, bytes: [UInt8]) {
        self.atUnixNanoseconds = atUnixNanoseconds
        self.linkType = linkType
        self.originalSize = originalSize
        self.bytes = bytes
    }
}

/// What decrypts packets that are kept, as a capture brought it.
public struct SecretRow: Hashable, Sendable {
    /// Lines of an NSS key log.
    public var keyLog: [UInt8]

    /// A secret with these lines.
    public init(keyLog: [UInt8]) { self.keyLog = keyLog }
}
