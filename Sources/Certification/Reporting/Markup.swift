/// Text in XML and HTML.
enum Markup {
    /// Text for content and attributes; what XML 1.0 forbids is U+FFFD.
    static func escaped(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output.append(contentsOf: "&amp;".unicodeScalars)
            case "<": output.append(contentsOf: "&lt;".unicodeScalars)
            case ">": output.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": output.append(contentsOf: "&quot;".unicodeScalars)
            case "\n", "\t": output.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE:
                output.append("\u{FFFD}")
            default: output.append(scalar)
            }
        }
        return String(output)
    }
}
