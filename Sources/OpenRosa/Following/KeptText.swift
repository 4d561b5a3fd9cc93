/// The text of an element while it comes in pieces, without white space around it.
struct KeptText {
    private var bytes: [UInt8] = []
    private var longest = 0
    /// Whether there was more than is kept.
    private(set) var isCut = false

    /// Bytes that are kept so far.
    var count: Int { bytes.count }

    /// Begins a text of at most `longest` bytes.
    mutating func begin(atMost longest: Int) {
        bytes.removeAll(keepingCapacity: true)
        self.longest = longest
        isCut = false
    }

    /// Takes the next piece.
    mutating func append(_ piece: borrowing Span<UInt8>) {
        var start = 0
        if bytes.isEmpty {
            while start < piece.count, Self.isBlank(piece[start]) { start += 1 }
        }
        guard start < piece.count else { return }
        let room = longest - bytes.count
        if piece.count - start > room { isCut = true }
        let end = min(piece.count, start + room)
        piece.extracting(start..<end).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// The text so far; a character that does not fit is left out.
    var value: String {
        var count = isCut ? Self.wholeCharacters(bytes) : bytes.count
        while count > 0, Self.isBlank(bytes[count - 1]) { count -= 1 }
        return bytes.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[..<count]), as: UTF8.self)
        }
    }

    /// Whether a byte is white space.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    /// Length in bytes of UTF-8 that may end within a character, without that.
    static func wholeCharacters(_ bytes: [UInt8]) -> Int {
        var lead = bytes.count - 1
        while lead >= 0, bytes[lead] & 0xC0 == 0x80 { lead -= 1 }
        guard lead >= 0 else { return 0 }
        let length = bytes[lead] < 0x80 ? 1 : bytes[lead] < 0xE0 ? 2 : bytes[lead] < 0xF0 ? 3 : 4
        return lead + length <= bytes.count ? bytes.count : lead
    }
}

extension CommCareFollower {
    /// Text for a note or a name, of bounded length.
    static func shortened(
        _ text: String, to longest: Int = OpenRosaDocument.longestText
    ) -> String {
        guard text.utf8.count > longest else { return text }
        let bytes = Array(text.utf8.prefix(longest))
        return String(decoding: bytes[..<KeptText.wholeCharacters(bytes)], as: UTF8.self)
    }

    /// A name of at most 256 bytes per part.
    static func shortened(_ name: XMLName) -> XMLName {
        XMLName(
            shortened(name.local, to: 256),
            namespace: name.namespace.map { shortened($0, to: 256) },
            prefix: name.prefix.map { shortened($0, to: 256) })
    }
}
