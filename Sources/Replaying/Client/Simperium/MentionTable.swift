import Notation

/// Names that are replaced by others wherever a text mentions them.
struct MentionTable: Sendable {
    private struct Entry {
        var name: [UInt8]
        var other: [UInt8]
        /// Where the first word of the name begins.
        var offset: Int
        var isUser: Bool
    }

    /// Names by the digest of their first word, the longest first.
    private var entries: [UInt64: [Entry]] = [:]
    /// The pairs of bytes with which names begin, so that nearly all words of a text are skipped
    /// quickly.
    private var beginnings: [UInt64] = []

    /// Bytes of the shortest name that is looked for.
    private static let shortest = 3
    /// The length in bytes from which a name is unlikely to occur in a text by coincidence.
    private static let long = 16

    var isEmpty: Bool { entries.isEmpty }

    /// Replaces `name` by `other` from now on.
    mutating func set(_ name: String, to other: String, isUser: Bool) {
        let bytes = Array(name.utf8)
        guard bytes.count >= Self.shortest, let offset = bytes.firstIndex(where: Self.isWord)
        else { return }
        let end = Self.wordEnd(bytes, offset)
        let digest = FNV1a.hash(bytes[offset..<end])
        if beginnings.isEmpty { beginnings = Array(repeating: 0, count: 1024) }
        let pair = Self.pair(bytes, offset..<end)
        beginnings[pair >> 6] |= 1 << UInt64(pair & 63)
        let entry = Entry(name: bytes, other: Array(other.utf8), offset: offset, isUser: isUser)
        var list = entries.removeValue(forKey: digest) ?? []
        if let place = list.firstIndex(where: { $0.name == bytes && $0.isUser == isUser }) {
            list[place] = entry
        } else {
            let place = list.firstIndex { $0.name.count < bytes.count } ?? list.count
            list.insert(entry, at: place)
        }
        entries[digest] = list
    }

    /// `text` with all names replaced; nil where it mentions none.
    func replace(in text: [UInt8]) -> [UInt8]? {
        guard !entries.isEmpty else { return nil }
        var output: [UInt8]?
        var done = 0
        var place = 0
        while place < text.count {
            guard Self.isWord(text[place]) else {
                place += 1
                continue
            }
            let end = Self.wordEnd(text, place)
            let pair = Self.pair(text, place..<end)
            if beginnings[pair >> 6] & 1 << UInt64(pair & 63) != 0,
                let found = match(text, place..<end, from: done)
            {
                if output == nil {
                    output = []
                    output?.reserveCapacity(text.count + 64)
                }
                output?.append(contentsOf: text[done..<(place - found.offset)])
                output?.append(contentsOf: found.other)
                done = place - found.offset + found.name.count
                place = max(done, end)
            } else {
                place = end
            }
        }
        output?.append(contentsOf: text[done...])
        return output
    }

    private func match(_ text: [UInt8], _ word: Range<Int>, from done: Int) -> Entry? {
        guard let list = entries[FNV1a.hash(text[word])] else { return nil }
        return list.first { entry in
            let start = word.lowerBound - entry.offset
            let end = start + entry.name.count
            guard start >= done, end <= text.count, text[start..<end].elementsEqual(entry.name)
            else { return false }
            let before = start > 0 ? text[start - 1] : 0x20
            let after = end < text.count ? text[end] : 0x20
            guard !Self.isWord(before), !Self.isWord(after) else { return false }
            if entry.isUser { return Self.namesUser(text, before: start) }
            // A full stop may end a sentence or begin an extension; within a name it is none.
            return entry.name.count >= Self.long || !(Self.joins(before) || Self.joins(after))
        }
    }

    /// Whether `username` precedes this place, with only punctuation in between.
    private static func namesUser(_ text: [UInt8], before place: Int) -> Bool {
        let signs: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0x22, 0x27, 0x3A, 0x3D, 0x3E]
        var end = place
        while end > 0, place - end < 16, signs.contains(text[end - 1]) { end -= 1 }
        let wanted = Array("username".utf8)
        guard end < place, end >= wanted.count else { return false }
        return zip(text[(end - wanted.count)..<end], wanted).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte >= 0x80
    }

    private static func joins(_ byte: UInt8) -> Bool {
        byte == 0x2D || byte == 0x2E || byte == 0x5F
    }

    private static func wordEnd(_ text: [UInt8], _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, isWord(text[end]) { end += 1 }
        return end
    }

    private static func pair(_ text: [UInt8], _ word: Range<Int>) -> Int {
        let second = word.count > 1 ? text[word.lowerBound + 1] : 0
        return Int(text[word.lowerBound]) << 8 | Int(second)
    }
}
