/// Reads the blocks of a pcapng file.
///
/// A value without I/O: it takes bytes as they arrive, and returns packets and secrets; how the
/// bytes are divided makes no difference. Sections may differ in byte order, and interfaces in
/// their link types. Besides what was appended and not yet read, it keeps one block, of at most
/// ``longestBlock``, and ``maxInterfaces`` interfaces. Source: draft-ietf-opsawg-pcapng.
public struct PcapngParser {
    /// Longest block in bytes: 64 MiB.
    public static let longestBlock = 64 << 20
    /// The maximum number of interfaces of one section: 65 536.
    public static let maxInterfaces = 65_536

    /// What there was so far.
    public internal(set) var counts = BlockCounts()

    var buffer: [UInt8] = []
    /// Where the next block begins in ``buffer``.
    private var position = 0
    /// Where ``buffer`` begins in the file.
    private var bufferOffset: Int64 = 0
    private var failure: PcapngError?
    var isBigEndian = false
    var interfaces: [PcapngInterface] = []
    /// Time of the packet before, for one that has none.
    var lastUnixNanoseconds: Int64 = 0

    /// A parser at the beginning of a file.
    public init() {}

    /// The minimum number of bytes that ``next()`` needs for another item.
    public var missing: Int {
        let available = buffer.count - position
        guard available >= 12 else { return 12 - available }
        guard let length = try? blockLength() else { return 1 }
        return max(1, length - available)
    }

    /// Processes the next bytes of the file; every call copies the block that is not all there yet.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        fill(upTo: bytes.count) { target in
            _ = target.initialize(fromContentsOf: bytes)
            return bytes.count
        }
    }

    /// Appends the next bytes of the file, which `body` writes into memory.
    ///
    /// - Parameters:
    ///   - count: How many there is room for.
    ///   - read: Initializes the first bytes of the memory, and returns how many.
    mutating func fill(
        upTo count: Int, _ read: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) {
        let rest = buffer.count - position
        bufferOffset += Int64(position)
        // A new array: those who hold parts of the old one keep them, and nothing is copied for it.
        buffer = [UInt8](unsafeUninitializedCapacity: rest + count) { memory, initialized in
            _ = memory.initialize(fromContentsOf: buffer[position...])
            initialized = rest + read(.init(rebasing: memory[rest...]))
        }
        position = 0
    }

    /// Reads up to the next packet or secret.
    ///
    /// - Returns: nil where bytes are missing.
    /// - Throws: ``PcapngError``, and from then on always the same.
    public mutating func next() throws(PcapngError) -> CaptureItem? {
        if let failure { throw failure }
        do throws(PcapngError) {
            while let length = try blockLength(), position + length <= buffer.count {
                let item = try read(position..<position + length)
                position += length
                if let item { return item }
            }
            return nil
        } catch {
            failure = error
            throw error
        }
    }

    /// Notes the end of the file; ``counts`` include what was incomplete.
    public mutating func finish() {
        counts.cutOffBytes += Int64(buffer.count - position)
        position = buffer.count
    }

    /// Length of the block at ``position``; nil where too little of it is there.
    private func blockLength() throws(PcapngError) -> Int? {
        let available = buffer.count - position
        guard available >= 12 else { return nil }
        let offset = bufferOffset + Int64(position)
        var isBigEndian = isBigEndian
        // The type of a section header reads the same either way; the magic number after the length
        // shows it.
        if number32(position) == PcapngBlock.sectionHeader {
            isBigEndian = try Self.isBigEndian(number32(position + 8, true), offset)
        } else if counts.sections == 0 {
            throw .notASection(offset: offset)
        }
        let length = number32(position + 4, isBigEndian)
        guard length >= 12, length % 4 == 0, length <= Self.longestBlock else {
            throw .length(length, offset: offset)
        }
        return Int(length)
    }

    private static func isBigEndian(
        _ mark: UInt32, _ offset: Int64
    ) throws(PcapngError) -> Bool {
        switch mark {
        case PcapngBlock.byteOrderMagic: return true
        case PcapngBlock.byteOrderMagic.byteSwapped: return false
        default: throw .byteOrder(offset: offset)
        }
    }

    /// Reads a block that is all there.
    private mutating func read(_ block: Range<Int>) throws(PcapngError) -> CaptureItem? {
        let offset = bufferOffset + Int64(block.lowerBound)
        let type = number32(block.lowerBound)
        if type == PcapngBlock.sectionHeader {
            isBigEndian = try Self.isBigEndian(number32(block.lowerBound + 8, true), offset)
        }
        let lengthAtEnd = number32(block.upperBound - 4)
        guard lengthAtEnd == UInt32(block.count) else {
            throw .lengthAtEnd(lengthAtEnd, offset: offset)
        }
        let body = PcapngBody(
            type: type, range: block.lowerBound + 8..<block.upperBound - 4, offset: offset)
        return try read(body)
    }

    /// The number of 32 bits at this place of ``buffer``.
    func number32(_ place: Int) -> UInt32 { number32(place, isBigEndian) }

    /// The number of 16 bits at this place of ``buffer``.
    func number16(_ place: Int) -> UInt16 {
        let number = buffer.span.big16(place)
        return isBigEndian ? number : number.byteSwapped
    }

    private func number32(_ place: Int, _ isBigEndian: Bool) -> UInt32 {
        let number = buffer.span.big32(place)
        return isBigEndian ? number : number.byteSwapped
    }
}
