/// A name with a value, of a query or a form.
public struct FormField: Hashable, Sendable {
    /// The name, decoded.
    public var name: String
    /// The value, decoded.
    public var value: String

    /// The field `name=value`.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The fields of `name=value&…`, in order; `+` is a space and `%` begins a byte.
    ///
    /// An invalid escape is literal text; bytes that are not UTF-8 become U+FFFD. Source: WHATWG
    /// URL, "application/x-www-form-urlencoded parsing".
    ///
    /// - Parameters:
    ///   - text: The query without its question mark, or the content of a form.
    ///   - limit: The maximum number of fields that are read.
    /// - Returns: The fields.
    package static func parse(
        _ text: some Sequence<UInt8>, limit: Int = .max
    ) -> [FormField] {
        var fields: [FormField] = []
        for piece in Array(text).split(separator: 0x26) {
            guard fields.count < limit else { break }
            let parts = piece.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first else { continue }
            fields.append(FormField(decoded(name), parts.count > 1 ? decoded(parts[1]) : ""))
        }
        return fields
    }

    /// `text` with `value` for every field of a name, or with the field behind all others, and every
    /// other byte as it was.
    package static func setting(_ name: String, _ value: String, in text: [UInt8]) -> [UInt8] {
        let written = Array(FormField(name, value).text.utf8)
        var isThere = false
        let pieces = text.split(separator: 0x26, omittingEmptySubsequences: false).map {
            piece -> [UInt8] in
            guard parse(piece).first?.name == name else { return Array(piece) }
            isThere = true
            return written
        }
        if isThere { return Array(pieces.joined(separator: [0x26])) }
        return text.isEmpty ? written : text + [0x26] + written
    }

    /// `name=value`, as browsers write a form.
    package var text: String { "\(Self.encoded(name))=\(Self.encoded(value))" }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.decode(text, plusIsSpace: true), as: UTF8.self)
    }

    private static func encoded(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode($0, keeping: .form) }.joined(separator: "+")
    }
}

extension [FormField] {
    /// The value of the first field of this name.
    package func first(_ name: String) -> String? { first { $0.name == name }?.value }

    /// The value of the last field of this name, which is the one that Django takes.
    package func last(_ name: String) -> String? { last { $0.name == name }?.value }

    /// The values of all fields of this name, in order.
    package func all(_ name: String) -> [String] { filter { $0.name == name }.map(\.value) }
}
