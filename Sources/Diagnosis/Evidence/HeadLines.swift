import Wire

/// The start line and the fields of a head, as text.
public struct HeadLines: Hashable, Sendable {
    /// A field.
    public struct Field: Hashable, Sendable {
        /// The name, as sent.
        public let name: String
        /// The value without space around it.
        public let value: String
        /// The whole line without its end, to be quoted.
        public let line: String
    }

    /// The first line, without its end.
    public let start: String
    /// The fields in order; lines without colon are left out.
    public let fields: [Field]

    /// Takes a head apart.
    public init(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        start = lines.isEmpty ? "" : lines.removeFirst()
        fields = lines.compactMap { line in
            guard let colon = line.utf8.firstIndex(of: 0x3A) else { return nil }
            return Field(
                name: String(line[..<colon]),
                value: Self.trimmed(line[line.utf8.index(after: colon)...]), line: line)
        }
    }

    /// The first field of this name, case-insensitive.
    public func first(_ name: String) -> Field? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }
    }

    /// The value of the first field of this name.
    public func value(_ name: String) -> String? { first(name)?.value }

    /// All fields of this name, in order.
    public func all(_ name: String) -> [Field] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(text)
    }
}
