/// A label of a session: what ran, where, for which test.
public struct Label: Hashable, Sendable {
    /// Its name: letters, digits, `_`, `-` and `.`, in lower case.
    public let name: String
    /// Its value.
    public let value: String

    /// A label.
    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads `NAME=VALUE`.
    ///
    /// - Throws: ``FleetError`` with code `usage`.
    public init(parsing text: String) throws(FleetError) {
        guard let sign = text.firstIndex(of: "=") else {
            throw FleetError(.usage, "label \(text) has no value; write NAME=VALUE")
        }
        let name = text[..<sign].lowercased()
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isName, !name.isEmpty, name.utf8.count <= 100 else {
            throw FleetError(
                .usage,
                "label \(text) has no valid name; a name has letters, digits, _, - and . alone")
        }
        let value = String(text[text.index(after: sign)...])
        guard value.utf8.count <= 1_000 else {
            throw FleetError(.usage, "label \(name) is longer than 1000 bytes; shorten it")
        }
        self.init(name: name, value: value)
    }
}
