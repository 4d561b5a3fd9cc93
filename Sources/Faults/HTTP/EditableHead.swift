import Framing

/// The head of a message, to be changed.
struct EditableHead {
    private var startLine: [UInt8]
    private var fields: [(name: String, line: [UInt8])]
    private var ending: [UInt8]

    /// The head as received.
    init(_ head: HTTPHead) {
        let bytes = head.bytes
        let start =
            head.fields.first?.line.lowerBound
            ?? bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        startLine = Array(bytes[..<start])
        fields = head.fields.map {
            (Self.lowercased(bytes[$0.name]), Array(bytes[$0.line]))
        }
        ending = Array(bytes[(head.fields.last?.line.upperBound ?? start)...])
    }

    /// The head as it is now.
    var bytes: [UInt8] { startLine + fields.flatMap(\.line) + ending }

    /// Puts a field in the place of all of its name, or after all others.
    mutating func set(_ name: String, _ value: String) {
        let key = Self.lowercased(Array(name.utf8)[...])
        let line = Array("\(HeaderText.clean(name)): \(HeaderText.clean(value))\r\n".utf8)
        guard let first = fields.firstIndex(where: { $0.name == key }) else {
            fields.append((key, line))
            return
        }
        fields[first].line = line
        let behind = fields[(first + 1)...].filter { $0.name != key }
        fields.replaceSubrange((first + 1)..., with: behind)
    }

    /// Removes all fields of a name.
    ///
    /// - Returns: Whether there were any.
    mutating func remove(_ name: String) -> Bool {
        let key = Self.lowercased(Array(name.utf8)[...])
        let count = fields.count
        fields.removeAll { $0.name == key }
        return fields.count < count
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(
            decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// Text of a head.
enum HeaderText {
    /// `text` without line breaks and other control characters, which would end a field.
    static func clean(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
