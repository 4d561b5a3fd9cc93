/// The header fields that a plan may set: what breaks framing is not a fault that a plan can
/// inject.
enum HeaderShape {
    /// Whether `text` is a token (RFC 9110, section 5.6.2).
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether `text` has no control characters apart from tabs.
    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Whether `text` is the path of a request.
    static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/")
            && text.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
    }

    /// Whether `text` is a name, a colon and a value.
    static func isField(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && isName(String(parts[0])) && isValue(String(parts[1]))
    }
}
