internal import Notation
internal import Wire

/// Makes the url that is sent of the one that was given.
enum TargetURL {
    /// The url with a scheme, its query extended by `payload`, its other bytes percent-encoded.
    ///
    /// - Throws: `badURL` where it is not http or https, has no host, or has spaces or controls.
    static func make(
        _ text: String, query payload: [String: JSONValue]?
    ) throws(HTTPError) -> String {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .badURL(text) }
        var url = text
        if let scheme = scheme(of: text) {
            guard ["http", "https"].contains(scheme.lowercased()) else { throw .badURL(text) }
        } else {
            url = "https://" + text
        }
        guard let slashes = url.utf8.firstIndex(of: UInt8(ascii: "/")) else { throw .badURL(text) }
        let rest = url[url.utf8.index(slashes, offsetBy: 2)...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard let first = authority.utf8.first, first != UInt8(ascii: ":"),
            authority.utf8.last != UInt8(ascii: "@")
        else { throw .badURL(text) }
        // A fragment is never sent.
        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        var result =
            String(url[..<authority.endIndex]) + PercentEncoding.encode(target, keeping: .all)
        let added = query(payload ?? [:])
        if !added.isEmpty {
            if !target.contains("?") {
                result += "?"
            } else if !target.hasSuffix("?"), !target.hasSuffix("&") {
                result += "&"
            }
            result += added
        }
        return result
    }

    /// The members as `key=value`, sorted by the bytes of the key, joined by `&`.
    static func query(_ payload: [String: JSONValue]) -> String {
        var pairs: [String] = []
        let sorted = payload.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in sorted {
            let values: [JSONValue] = if case .array(let many) = value { many } else { [value] }
            for value in values {
                pairs.append(
                    "\(PercentEncoding.encode(key))=\(PercentEncoding.encode(text(of: value)))")
            }
        }
        return pairs.joined(separator: "&")
    }

    private static func text(of value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .bool, .number, .array, .object: value.text()
        }
    }

    /// The scheme before `://`; nil where there is none.
    private static func scheme(of text: String) -> Substring? {
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        return text[name.endIndex...].hasPrefix("://") ? name : nil
    }
}
