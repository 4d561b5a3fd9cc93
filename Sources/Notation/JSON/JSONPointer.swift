/// A place in a JSON text, as RFC 6901 writes it.
///
/// `/notes/0/a~1b` is the member `a/b` of the first element of the member `notes`; the empty text is
/// the whole. As the last name `-` is the place behind the elements of an array.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// Names of members and numbers of elements, from the outside in.
    public let names: [String]

    /// The place that `text` writes; nil where it is none.
    public init?(_ text: String) {
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
        var names: [String] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            var name = ""
            var isEscape = false
            for scalar in part.unicodeScalars {
                switch (isEscape, scalar) {
                case (true, "0"): name.unicodeScalars.append("~")
                case (true, "1"): name.unicodeScalars.append("/")
                case (true, _): return nil
                case (false, "~"):
                    isEscape = true
                    continue
                case (false, _): name.unicodeScalars.append(scalar)
                }
                isEscape = false
            }
            guard !isEscape else { return nil }
            names.append(name)
        }
        self.names = names
    }

    /// As it is written.
    public var description: String {
        names.map {
            "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
        }.joined()
    }
}
