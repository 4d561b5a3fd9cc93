/// An operator of mitmproxy's filters, and what is written here in its place.
///
/// Source: mitmproxy, "Filter expressions".
struct MitmproxyOperator {
    /// The operator, such as `~u`.
    let sign: String
    /// What to write, with the value that follows.
    let instead: String
    /// Where, in Unicode scalars.
    let range: Range<Int>

    /// The operator at the position of `scanner`; nil where there is none.
    init?(at scanner: FilterScanner) {
        guard scanner.peek() == "~" else { return nil }
        var end = scanner.position + 1
        while end < scanner.scalars.count, scanner.scalars[end].properties.isAlphabetic { end += 1 }
        let name = Self.text(scanner.scalars[(scanner.position + 1)..<end])
        guard let meaning = Self.meanings[name] else { return nil }
        sign = "~" + name
        range = scanner.position..<end
        guard meaning.last == "~" || meaning.last == ":" else {
            instead = meaning
            return
        }
        var rest = FilterScanner(Self.text(scanner.scalars[end...]))
        rest.skipSpace()
        let value = (try? rest.takeValue(closing: nil))?.text ?? ""
        instead = meaning + (value.isEmpty ? "VALUE" : value)
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    private static let meanings = [
        "a": "response.header.content-type~javascript", "all": "*", "b": "body~",
        "bq": "request.body~", "bs": "response.body~", "c": "status:", "d": "host~",
        "dst": "host~", "e": "problem:*", "h": "header.NAME:", "hq": "request.header.NAME:",
        "hs": "response.header.NAME:", "http": "kind:exchange", "m": "method:",
        "q": "not has:status", "s": "has:status", "t": "header.content-type~",
        "tq": "request.header.content-type~", "ts": "response.header.content-type~", "u": "url~",
        "websocket": "api:websocket",
    ]
}
