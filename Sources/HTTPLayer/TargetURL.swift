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
        var result = String(url[..<authority.endIndex]) + encodingHighBytes(of: target)
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
            for value in values { pairs.append("\(encoded(key))=\(encoded(text(of: value)))") }
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

    /// All but the unreserved characters as `%XX` (RFC 3986, 2.3).
    private static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default: append(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func encodingHighBytes(of text: Substring) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if byte < 0x80 { result.append(byte) } else { append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to result: inout [UInt8]) {
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
        }
        result += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }
}
