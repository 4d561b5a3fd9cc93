/// What the identifiers of Simperium may look like.
///
/// Source: Simperium/Specification.md#identifiers. Clients send dashes in change identifiers, for
/// which it has hexadecimal digits alone; those are taken with any printable text.
public enum IdentifierGrammar {
    /// Whether `text` can be the identifier of an application: letters, digits, `._-`.
    public static func isApp(_ text: String) -> Bool { matches(text, 256, "._-") }

    /// Whether `text` can be the name of a bucket: 1 to 64 letters, digits and `._-%`.
    public static func isBucket(_ text: String) -> Bool { matches(text, 64, "._-%") }

    /// Whether `text` can be the key of an object: 1 to 256 letters, digits and `._-%@`.
    public static func isKey(_ text: String) -> Bool { matches(text, 256, "._-%@") }

    /// Whether `text` can identify a change: 1 to 256 bytes without control characters.
    public static func isChange(_ text: String) -> Bool {
        1...256 ~= text.utf8.count && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Whether `text` can be a token: 32 or more letters and digits, at most 1024.
    ///
    /// Source: Simperium/Specification.md#init.
    public static func isToken(_ text: String) -> Bool {
        text.utf8.count >= 32 && matches(text, 1024, "")
    }

    private static func matches(_ text: String, _ most: Int, _ others: String) -> Bool {
        guard 1...most ~= text.utf8.count else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
            default: others.utf8.contains(byte)
            }
        }
    }
}
