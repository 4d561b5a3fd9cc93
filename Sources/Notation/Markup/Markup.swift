/// Text within XML and HTML.
package enum Markup {
    /// Text for content and for attributes in double quotes.
    ///
    /// Characters that XML 1.0 cannot have (section 2.2) become U+FFFD.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - keepsSpaces: Whether tabs and line breaks stay; they become references otherwise, since
    ///     readers of an attribute make spaces of them (section 3.3.3).
    /// - Returns: The text with references.
    package static func escaped(_ text: String, keepsSpaces: Bool = true) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;".utf8
            case "<": output += "&lt;".utf8
            case ">": output += "&gt;".utf8
            case "\"": output += "&quot;".utf8
            case "\t", "\n", "\r":
                if keepsSpaces, scalar != "\r" {
                    output.append(UInt8(truncatingIfNeeded: scalar.value))
                } else {
                    output += "&#\(scalar.value);".utf8
                }
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": output += "\u{FFFD}".utf8
            default: output += scalar.utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
