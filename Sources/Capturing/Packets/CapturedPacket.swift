/// One packet as a file or an interface gave it.
public struct CapturedPacket: Hashable, Sendable {
    /// What it begins with.
    public let link: LinkType
    /// Its bytes as far as they were captured; a part of what was read at once.
    public let bytes: ArraySlice<UInt8>
    /// Bytes that it had on the wire, at least as many as ``bytes``.
    public let originalLength: Int
    /// When it was captured, in nanoseconds since 1970 UTC, 0 or more.
    public let atUnixNanoseconds: Int64

    /// A packet with these values; an original length or a time that cannot be is made one that can.
    public init(
        link: LinkType, bytes: ArraySlice<UInt8>, originalLength: Int? = nil,
        atUnixNanoseconds: Int64
    ) {
        self.link = link
        self.bytes = bytes
        self.originalLength = max(bytes.count, originalLength ?? 0)
        self.atUnixNanoseconds = max(0, atUnixNanoseconds)
    }

    /// What it means that its headers end before they should.
    var tooShort: IgnoringReason { bytes.count < originalLength ? .headersCutOff : .malformed }
}
