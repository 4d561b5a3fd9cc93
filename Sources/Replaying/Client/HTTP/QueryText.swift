import Notation

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
            pieces[place].text = "\(name)=\(PercentEncoding.encode(new))"
        }
    }

    /// Leaves out the parameters with these names.
    mutating func remove(_ names: Set<String>) { pieces.removeAll { names.contains($0.name) } }

    /// The query as it is sent.
    var text: String { pieces.map(\.text).joined(separator: "&") }
}
