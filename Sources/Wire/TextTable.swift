/// Texts that are kept once each and named by a number, for lists of millions that repeat few.
///
/// Takes some 20 bytes and the text itself for each text. Texts are not moved when it grows.
public struct TextTable: Sendable {
    /// Bytes of a block; longer texts have a separate one.
    private static let blockSize = 1 << 18
    /// The maximum length of a text in bytes; what follows is cut off.
    public static let longest = (1 << 24) - 1

    private var blocks: [[UInt8]] = []
    /// Block, offset and length of each text: 22, 18 and 24 bits.
    private var places: [UInt64] = []
    /// Numbers of texts, indexed by their hash.
    ///
    /// There is a power of two of them.
    private var slots: [UInt32] = Array(repeating: 0, count: 16)
    /// Further bits of the hash of what is in each slot, never 0; 0 where that is free.
    ///
    /// Looked at first, many to a cache line, so that few slots and texts are.
    private var tags: [UInt8] = Array(repeating: 0, count: 16)
    /// How many slots are taken.
    private var taken = 0
    /// Slots beyond which they are emptied instead of growing in number.
    private let maxSlots: Int

    /// An empty table.
    public init() { maxSlots = .max }

    /// An empty table that recognises some of the newest texts, and stores others again.
    ///
    /// For texts that are few or all different, of which the latter would never be found.
    ///
    /// - Parameter newest: About how many are recognised; at least 12.
    public init(knowing newest: Int) { maxSlots = max(16, newest / 3 * 4) }

    /// Makes room for this many texts.
    public mutating func reserveCapacity(_ count: Int) {
        places.reserveCapacity(count)
        var size = slots.count
        while size * 3 < count * 4, size * 2 <= maxSlots { size *= 2 }
        if size > slots.count { resize(size) }
    }

    /// Number of texts.
    public var count: Int { places.count }

    /// The number of `text`, which is given one where it has none.
    ///
    /// - Returns: The number, from 0 on in the order of the first appearance.
    public mutating func intern(_ text: String) -> UInt32 {
        var text = text
        return text.withUTF8 { intern(UnsafeRawBufferPointer($0)) }
    }

    /// The number of the text with these UTF-8 bytes, which is given one where it has none.
    public mutating func intern(_ text: UnsafeRawBufferPointer) -> UInt32 {
        let bytes = Self.bytes(of: text)
        return intern(bytes, Self.hash(bytes))
    }

    /// The numbers of the texts with these UTF-8 bytes, as if each were given one after the other.
    ///
    /// Faster where the table does not fit near a processor: what is read to find one text is read
    /// while the one before is still waited for.
    public mutating func intern(_ texts: [UnsafeRawBufferPointer]) -> [UInt32] {
        let texts = texts.map { Self.bytes(of: $0) }
        let hashes = texts.map { Self.hash($0) }
        let mask = slots.count - 1
        let likely = hashes.map { hash in
            tags[hash & mask] == Self.tag(hash) ? slots[hash & mask] : .max
        }
        let found = likely.map { $0 == .max ? 0 : places[Int($0)] }
        return texts.indices.map { index in
            if likely[index] != .max, isSame(found[index], texts[index]) { return likely[index] }
            return intern(texts[index], hashes[index])
        }
    }

    private mutating func intern(_ bytes: UnsafeRawBufferPointer, _ hash: Int) -> UInt32 {
        let (slot, known) = find(bytes, hash)
        if let known { return known }
        let number = UInt32(truncatingIfNeeded: places.count)
        append(bytes)
        slots[slot] = number
        tags[slot] = Self.tag(hash)
        taken += 1
        if taken * 4 > slots.count * 3 {
            // By much, so that few texts are placed anew; not before: few slots are fast to look at.
            let size = slots.count * 4 <= maxSlots ? slots.count * 4 : slots.count * 2
            if size <= maxSlots { resize(size) } else { forget() }
        }
        return number
    }

    /// The number of `text`; nil where it has none.
    public func find(_ text: String) -> UInt32? {
        var text = text
        return text.withUTF8 { find(UnsafeRawBufferPointer($0)) }
    }

    /// The number of the text with these UTF-8 bytes; nil where it has none.
    public func find(_ text: UnsafeRawBufferPointer) -> UInt32? {
        let bytes = Self.bytes(of: text)
        return find(bytes, Self.hash(bytes)).number
    }

    /// The text with this number; empty where there is none.
    public subscript(_ number: UInt32) -> String {
        bytes(number) { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the UTF-8 bytes of the text with this number; none where there is none.
    public func bytes<Result>(
        _ number: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard number < places.count else {
            return body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return bytes(at: places[Int(number)], body)
    }

    private func bytes<Result>(
        at place: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let offset = Int(place >> 24 & 0x3FFFF)
        let length = Int(place & 0xFFFFFF)
        return blocks[Int(place >> 42)].withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + length]))
        }
    }

    /// The slot of a text, or the free one where it belongs, and its number.
    private func find(
        _ bytes: UnsafeRawBufferPointer, _ hash: Int
    ) -> (slot: Int, number: UInt32?) {
        let mask = slots.count - 1
        let tag = Self.tag(hash)
        var slot = hash & mask
        while tags[slot] != 0 {
            let number = slots[slot]
            if tags[slot] == tag, isSame(places[Int(number)], bytes) { return (slot, number) }
            slot = (slot + 1) & mask
        }
        return (slot, nil)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let room = blocks.last.map { Self.blockSize - $0.count } ?? -1
        if bytes.count > room {
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(max(bytes.count, Self.blockSize))
        }
        let block = blocks.count - 1
        let offset = blocks[block].count
        blocks[block].append(contentsOf: bytes)
        places.append(UInt64(block) << 42 | UInt64(offset) << 24 | UInt64(bytes.count))
    }

    private mutating func forget() {
        for slot in tags.indices { tags[slot] = 0 }
        taken = 0
    }

    private mutating func resize(_ size: Int) {
        let mask = size - 1
        slots = Array(repeating: 0, count: size)
        tags = Array(repeating: 0, count: size)
        for number in 0..<UInt32(truncatingIfNeeded: places.count) {
            let hash = bytes(number) { Self.hash($0) }
            var slot = hash & mask
            while tags[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = number
            tags[slot] = Self.tag(hash)
        }
    }

    private static func bytes(of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text.prefix(longest))
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }

    /// Bits of a hash that choose no slot as long as there are fewer than 2^48; never 0.
    private static func tag(_ hash: Int) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 48) | 1 }

    private func isSame(_ place: UInt64, _ other: UnsafeRawBufferPointer) -> Bool {
        bytes(at: place) { $0.isSame(as: other) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the same bytes, of which eight are compared at once.
    public func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index + 8 <= count {
            let one = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard one == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else {
                return false
            }
            index += 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }
}
