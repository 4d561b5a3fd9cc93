/// Why a pcapng file could not be read on; offsets are in bytes from its beginning.
public enum PcapngError: Error, Hashable, Sendable {
    /// The file does not begin with a section header.
    case notASection(offset: Int64)
    /// A section header without a valid byte-order magic.
    case byteOrder(offset: Int64)
    /// A section is of an unknown version.
    case version(major: UInt16, minor: UInt16, offset: Int64)
    /// The length of a block is below 12, no multiple of 4, or above
    /// ``PcapngParser/longestBlock``.
    case length(UInt32, offset: Int64)
    /// The length at the end of the block at `offset` is not the one at its beginning.
    case lengthAtEnd(UInt32, offset: Int64)
    /// The block of this type at `offset` is too short for its stated contents.
    case contents(type: UInt32, offset: Int64)
    /// A section has more than ``PcapngParser/maxInterfaces`` interfaces.
    case interfaces(offset: Int64)

    /// The error and its place, as text.
    public var detail: String {
        switch self {
        case .notASection(let offset):
            "byte \(offset) does not begin a pcapng section"
        case .byteOrder(let offset):
            "the section header at byte \(offset) has no byte-order mark"
        case .version(let major, let minor, let offset):
            "the section at byte \(offset) is of version \(major).\(minor), and only 1 is supported"
        case .length(let length, let offset):
            "the block at byte \(offset) states \(length) bytes, which is impossible"
        case .lengthAtEnd(let length, let offset):
            "the block at byte \(offset) ends with another length than it begins with: \(length)"
        case .contents(let type, let offset):
            "the block of type \(type) at byte \(offset) is too short for its stated contents"
        case .interfaces(let offset):
            "the section has too many interfaces at byte \(offset)"
        }
    }
}
