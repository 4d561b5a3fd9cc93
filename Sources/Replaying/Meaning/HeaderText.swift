/// The value of a header field such as `Content-Type`, parsed.
enum HeaderText {
    /// The text without space and tab at either end.
    static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(text)
    }

    /// The part before the parameters, in lower case: `text/xml`.
    static func mediaType(_ value: String) -> String {
        trimmed(value.prefix { $0 != ";" }).lowercased()
    }

    /// The value of a parameter, without quotes.
    ///
    /// - Parameters:
    ///   - name: Its name in lower case.
    ///   - value: The value of the header field.
    /// - Returns: Nil where there is no such parameter.
    static func parameter(_ name: String, of value: String) -> String? {
        var pieces: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, scalar == "\\" {
                isEscaped = true
                continue
            } else if scalar == "\"" {
                isQuoted.toggle()
                continue
            } else if scalar == ";", !isQuoted {
                pieces.append("")
                continue
            }
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
        }
        for piece in pieces.dropFirst() {
            guard let sign = piece.firstIndex(of: "=") else { continue }
            if trimmed(piece[..<sign]).lowercased() == name {
                return trimmed(piece[piece.index(after: sign)...])
            }
        }
        return nil
    }
}
