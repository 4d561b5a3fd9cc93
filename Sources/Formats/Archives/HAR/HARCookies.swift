internal import Framing

/// The cookies of a message as HTTP archives list them beside its fields.
enum HARCookies {
    /// A cookie.
    struct Cookie: Hashable {
        var name: String
        var value: String
        var path: String?
        var domain: String?
        /// ISO 8601.
        var expires: String?
        var isHTTPOnly = false
        var isSecure = false
        var sameSite: String?
    }

    /// Those that a client sent in `Cookie`.
    static func sent(_ values: [String]) -> [Cookie] {
        values.flatMap { $0.split(separator: ";") }.compactMap { piece in
            let (name, value) = pair(piece)
            return name.isEmpty ? nil : Cookie(name: name, value: value)
        }
    }

    /// Those that a server set, one for each `Set-Cookie`.
    static func set(_ values: [String]) -> [Cookie] {
        values.compactMap { value in
            let pieces = value.split(separator: ";", omittingEmptySubsequences: false)
            guard let first = pieces.first else { return nil }
            let (name, text) = pair(first)
            guard !name.isEmpty else { return nil }
            var cookie = Cookie(name: name, value: text)
            for piece in pieces.dropFirst() {
                let (name, value) = pair(piece)
                switch name.lowercased() {
                case "path": cookie.path = value
                case "domain": cookie.domain = value
                case "expires": cookie.expires = date(value)
                case "httponly": cookie.isHTTPOnly = true
                case "secure": cookie.isSecure = true
                case "samesite": cookie.sameSite = value
                default: break
                }
            }
            return cookie
        }
    }

    private static func pair(_ piece: Substring) -> (name: String, value: String) {
        let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        func trimmed(_ text: Substring) -> String {
            let start = text.drop { $0 == " " || $0 == "\t" }
            return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
        return (trimmed(parts[0]), parts.count > 1 ? trimmed(parts[1]) : "")
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, also with dashes, as ISO 8601; nil where it is not a date.
    static func date(_ text: String) -> String? {
        let words = text.split { " ,-".contains($0) }
        guard words.count >= 5, let day = Int(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: words[2].lowercased()), var year = Int(words[3])
        else { return nil }
        // Two digits, as the first cookies had them.
        if (0..<100).contains(year) { year += year < 70 ? 2_000 : 1_900 }
        let time = words[4].split(separator: ":").map { Int($0) }
        guard (1_000...9_999).contains(year), time.count == 3, let hour = time[0],
            let minute = time[1], let second = time[2], (0..<24).contains(hour),
            (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(year)-\(two(month + 1))-\(two(day))"
            + "T\(two(hour)):\(two(minute)):\(two(second)).000Z"
    }
}
