public import Notation
import Wire

/// Value of a `Retry-After` field.
///
/// Source: RFC 9110, 10.2.3 and 5.6.7. CommCare clients support seconds alone.
public enum RetryAfter: Hashable, Sendable {
    /// A pause in seconds, at least 0.
    case seconds(Int)
    /// The time to ask again.
    case date(HTTPDate)

    /// Reads the value of the field.
    ///
    /// - Returns: Nil where it is neither a number of seconds that fits nor an HTTP date.
    public static func parse(_ text: String) -> RetryAfter? {
        let bytes = Array(text.utf8)
        let blanks: Set<UInt8> = [0x20, 0x09]
        let trimmed = Array(
            bytes.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
        guard trimmed.count <= 64, let first = trimmed.first else { return nil }
        if (0x30...0x39).contains(first) {
            guard trimmed.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int(String(decoding: trimmed, as: UTF8.self)).map { .seconds($0) }
        }
        return HTTPDate.parse(String(decoding: trimmed, as: UTF8.self)).map { .date($0) }
    }
}
