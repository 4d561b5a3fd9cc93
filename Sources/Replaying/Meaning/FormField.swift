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
    /// What is no escape stands for itself; bytes that are not UTF-8 become U+FFFD.
    /// Source: WHATWG URL, "application/x-www-form-urlencoded parsing".
    public static func parse(_ text: some Sequence<UInt8>) -> [FormField] {
        var fields: [FormField] = []
        for piece in Array(text).split(separator: 0x26) {
            let parts = piece.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first else { continue }
            fields.append(
                FormField(decoded(name), parts.count > 1 ? decoded(parts[1]) : ""))
        }
        return fields
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var place = text.startIndex
        while place < text.endIndex {
            let byte = text[place]
            if byte == 0x25, text.endIndex - place > 2, let high = digit(text[place + 1]),
                let low = digit(text[place + 2])
            {
                output.append(high << 4 | low)
                place += 3
                continue
            }
            output.append(byte == 0x2B ? 0x20 : byte)
            place += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// The fields without what is left out, by name; those of one name keep their order.
    static func kept(_ fields: [FormField], _ leftOut: LeftOut) -> [FormField] {
        fields.filter { !leftOut.droppedFields.contains($0.name) }.map { field in
            leftOut.maskedFields.contains(field.name)
                ? FormField(field.name, LeftOut.mark) : field
        }.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            .map(\.element)
    }
}
