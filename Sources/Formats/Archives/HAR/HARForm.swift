internal import Framing
internal import Notation
internal import Wire

/// A body made of `postData.params`, which Insomnia and others write instead of text.
struct HARForm {
    /// The body.
    let body: [UInt8]
    /// The type that the body has, where the archived one lacks the boundary; nil otherwise.
    let type: String?

    private static let boundary = "tapedeck-archived-form"

    /// The form with these parameters: multipart where the type is that, URL-encoded otherwise.
    init(_ parameters: JSONDocument.Node, type: String) {
        guard type.lowercased().hasPrefix("multipart/") else {
            body = Array(
                parameters.elements.map { element in
                    FormField(
                        HARNumber.text(element["name"]) ?? "",
                        HARNumber.text(element["value"]) ?? ""
                    ).text
                }.joined(separator: "&").utf8)
            self.type = nil
            return
        }
        let known = Self.boundary(in: type)
        let boundary = known ?? Self.boundary
        var body = ""
        for element in parameters.elements {
            body += "--\(boundary)\r\nContent-Disposition: form-data; name="
            body += Self.quoted(element["name"])
            if let file = element["fileName"], !file.isNull {
                body += "; filename=" + Self.quoted(file)
            }
            body += "\r\n"
            if let type = element["contentType"]?.string, !type.isEmpty {
                body += "Content-Type: \(type.filter { !$0.isNewline })\r\n"
            }
            body += "\r\n\(element["value"]?.string ?? "")\r\n"
        }
        self.body = Array((body + "--\(boundary)--\r\n").utf8)
        self.type = known == nil ? "multipart/form-data; boundary=\(boundary)" : nil
    }

    private static func boundary(in type: String) -> String? {
        for piece in type.split(separator: ";").dropFirst() {
            let words = piece.split(separator: "=", maxSplits: 1)
            guard words.count == 2, words[0].filter({ $0 != " " }).lowercased() == "boundary" else {
                continue
            }
            let value = words[1].filter { $0 != "\"" && !$0.isWhitespace }
            if !value.isEmpty { return value }
        }
        return nil
    }

    private static func quoted(_ node: JSONDocument.Node?) -> String {
        let text = (node?.string ?? "").filter { !$0.isNewline }
        return "\"\(text.replacing("\"", with: "%22"))\""
    }
}
