internal import Notation
internal import Wire

/// Bytes as JSON in readable form, and back.
///
/// Text is a string, or an array with an element for each of its lines, line end included. What is
/// not text is `{"base64":"…"}`, and WebSocket frames are objects with their payload unmasked
/// (``FrameText``). The bytes are those of all elements joined, so that nothing depends on where
/// they were cut.
enum ByteText {
    /// Lines of one value after which the rest is in one element: a line costs five bytes.
    private static let maxLines = 4_096
    /// The minimum length in bytes of text before other bytes that gets a separate element.
    private static let shortest = 16

    // MARK: Writing

    /// Appends `bytes` as JSON, which depends on nothing else.
    static func write(_ bytes: [UInt8], to output: inout [UInt8]) {
        write(bytes[...], allowsFrames: true, to: &output)
    }

    /// Appends `bytes` as JSON; `allowsFrames` is false within a frame.
    static func write(_ bytes: ArraySlice<UInt8>, allowsFrames: Bool, to output: inout [UInt8]) {
        var elements = Elements(output: output)
        output = []
        if allowsFrames, bytes.first ?? 0 >= 0x80, let frames = FrameText(parsing: bytes) {
            frames.write(to: &elements)
            output = elements.finish()
            return
        }
        let head = strayEnd(of: bytes)
        if head > bytes.startIndex { elements.base64(bytes[..<head]) }
        var position = head
        var lines = 0
        while position < bytes.endIndex {
            lines += 1
            let end = lines < maxLines ? lineEnd(bytes, from: position) : bytes.endIndex
            let text = TextScan.end(of: bytes[position..<end])
            if text == end {
                elements.string(bytes[position..<end])
                position = end
                continue
            }
            let rest = bytes[position...]
            if allowsFrames, let frames = FrameText(parsing: rest) {
                frames.write(to: &elements)
            } else if text - position >= shortest {
                elements.string(bytes[position..<text])
                elements.base64(bytes[text...])
            } else {
                elements.base64(rest)
            }
            position = bytes.endIndex
        }
        output = elements.finish()
    }

    private static func lineEnd(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
    }

    /// Where the rest of a character that was cut off before `bytes` ends, if text follows.
    private static func strayEnd(of bytes: ArraySlice<UInt8>) -> Int {
        var end = bytes.startIndex
        while end < bytes.endIndex, end - bytes.startIndex < 3, bytes[end] & 0xC0 == 0x80 {
            end += 1
        }
        let text = TextScan.end(of: bytes[end...].prefix(shortest))
        return text - end == shortest ? end : bytes.startIndex
    }

    // MARK: Reading

    /// The bytes of `node`.
    static func read(_ node: JSONNode) throws(RowMistake) -> [UInt8] {
        try read(node, allowsFrames: true)
    }

    static func read(_ node: JSONNode, allowsFrames: Bool) throws(RowMistake) -> [UInt8] {
        guard node.kind == .array else { return try element(node, allowsFrames: allowsFrames) }
        var bytes: [UInt8] = []
        for part in node.elements {
            bytes.append(contentsOf: try element(part, allowsFrames: allowsFrames))
        }
        return bytes
    }

    private static func element(
        _ node: JSONNode, allowsFrames: Bool
    ) throws(RowMistake) -> [UInt8] {
        switch node.kind {
        case .string: return try string(node)
        case .object:
            var members = node.members
            if let first = members.next(), first.key.spells("base64") {
                guard members.next() == nil else {
                    throw RowMistake(
                        node.range.lowerBound,
                        "base64 has to be the only member of "
                            + "its object")
                }
                return try base64(first.value)
            }
            if allowsFrames { return try FrameText.read(node) }
        default: break
        }
        throw RowMistake(
            node.range.lowerBound,
            "bytes are a string, {\"base64\": …}, a frame or an array of these")
    }

    /// The bytes of a string.
    static func string(_ node: JSONNode) throws(RowMistake) -> [UInt8] {
        guard let text = node.string, !node.hasLoneSurrogate else {
            throw RowMistake(node.range.lowerBound, "not a string of whole characters")
        }
        return Array(text.utf8)
    }

    /// The bytes of a text: a string, or base64 where they are not UTF-8.
    static func readText(_ node: JSONNode) throws(RowMistake) -> [UInt8] {
        guard node.kind == .object else { return try string(node) }
        var members = node.members
        guard let first = members.next(), first.key.spells("base64"), members.next() == nil else {
            throw RowMistake(node.range.lowerBound, "not a string and not {\"base64\": …}")
        }
        return try base64(first.value)
    }

    private static func base64(_ node: JSONNode) throws(RowMistake) -> [UInt8] {
        guard let text = node.string, let bytes = Base64.decode(text.utf8) else {
            throw RowMistake(node.range.lowerBound, "not base64")
        }
        return bytes
    }
}

extension ByteText {
    /// What a value is made of, while it is written: bare where it is one element.
    struct Elements {
        private var output: [UInt8]
        private let start: Int
        private var count = 0

        init(output: [UInt8]) {
            self.output = output
            start = output.count
        }

        mutating func string(_ bytes: ArraySlice<UInt8>) {
            next()
            JSONWriting.string(bytes, to: &output)
        }

        mutating func base64(_ bytes: ArraySlice<UInt8>) {
            next()
            JSONWriting.base64(bytes, to: &output)
        }

        mutating func object(_ write: (inout [UInt8]) -> Void) {
            next()
            write(&output)
        }

        private mutating func next() {
            // Opened when a second element shows that there is an array.
            if count == 1 { output.insert(0x5B, at: start) }
            if count > 0 { output.append(0x2C) }
            count += 1
        }

        consuming func finish() -> [UInt8] {
            if count == 0 { output.append(contentsOf: [0x22, 0x22]) }
            if count > 1 { output.append(0x5D) }
            return output
        }
    }
}
