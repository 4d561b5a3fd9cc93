/// A query in pieces, which stay as they are spelled where they do not change.
struct QueryText {
    /// One parameter.
    struct Piece {
        /// As spelled.
        var text: String
        /// The name, decoded.
        var name: String
        /// The value, decoded; nil without an equals sign.
        var value: String?
    }

    private(set) var pieces: [Piece]

    init(_ query: String) {
        pieces = query.split(separator: "&", omittingEmptySubsequences: false).map { text in
            let field = FormField.parse(text.utf8).first
            return Piece(
                text: String(text), name: field?.name ?? "",
                value: text.contains("=") ? field?.value : nil)
        }
    }

    /// The decoded value of the first parameter with this name.
    subscript(name: String) -> String? { pieces.first { $0.name == name }?.value }

    /// Gives each parameter with a value the one that `change` returns.
    mutating func map(_ change: (_ name: String, _ value: String) -> String) {
        for place in pieces.indices {
            guard let value = pieces[place].value else { continue }
            let new = change(pieces[place].name, value)
            guard new != value else { continue }
            let name = pieces[place].text.prefix { $0 != "=" }
            pieces[place].value = new
            pieces[place].text = "\(name)=\(PercentText.escaped(new))"
        }
    }

    /// Leaves out the parameters with these names.
    mutating func remove(_ names: Set<String>) { pieces.removeAll { names.contains($0.name) } }

    /// The query as it is sent.
    var text: String { pieces.map(\.text).joined(separator: "&") }
}

/// Text of a URL with escapes (RFC 3986, 2.1).
enum PercentText {
    /// Escapes everything but letters, digits, `-`, `.`, `_` and `~`.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Undoes escapes; a plus sign is one.
    static func decoded(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(0x25) else { return String(text) }
        var plain = Array("=".utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x2B: plain += Array("%2B".utf8)
            case 0x26: plain += Array("%26".utf8)
            default: plain.append(byte)
            }
        }
        return FormField.parse(plain).first?.value ?? ""
    }
}
