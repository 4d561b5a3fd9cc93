internal import Framing

extension SecretWalk {
    /// Fields that control how a message is read and contain no personal data.
    private static let structural: Set<String> = [
        "host", "content-type", "content-length", "content-encoding", "transfer-encoding",
        "connection", "upgrade", "sec-websocket-key", "sec-websocket-accept",
        "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions", "date",
        "server", "user-agent", "accept", "accept-encoding", "accept-language", "cache-control",
        "te", "trailer", "via", "expect", "retry-after", "x-openrosa-version", "etag",
        "if-none-match",
    ]

    /// The head with its secrets replaced, as long as it was.
    func head(_ head: HTTPHead) -> [UInt8] {
        var bytes = head.bytes
        if !head.targetRange.isEmpty { url(&bytes, head.targetRange) }
        if !head.reasonRange.isEmpty { value(&bytes, head.reasonRange, .plain, ground: .structure) }
        for field in head.fields where !field.value.isEmpty {
            let name = String(decoding: bytes[field.name], as: UTF8.self).lowercased()
            self.field(&bytes, field.value, name)
        }
        return bytes
    }

    private func field(_ bytes: inout [UInt8], _ range: Range<Int>, _ name: String) {
        switch name {
        case "authorization", "proxy-authorization": credentials(&bytes, range, name)
        case "www-authenticate", "proxy-authenticate", "authentication-info",
            "proxy-authentication-info":
            parameters(&bytes, range, name)
        case "cookie":
            for pair in pieces(bytes, range, 0x3B) { cookie(&bytes, pair, name) }
        case "set-cookie":
            if let pair = pieces(bytes, range, 0x3B).first { cookie(&bytes, pair, name) }
        case "location", "content-location", "referer", "refresh", "link": url(&bytes, range)
        default:
            let kind = places.kind(.field, name.utf8)
            let isStructure =
                Self.structural.contains(name) || RedactionPlaces.isIdentifier(name.utf8)
            let ground: Ground = isStructure ? .structure : .value
            value(&bytes, range, .plain, kind: kind, ground: ground, name: "field \(name)")
        }
    }

    // MARK: Credentials

    /// Credentials: a scheme, and a token or parameters (RFC 9110, 11.4).
    private func credentials(_ bytes: inout [UInt8], _ range: Range<Int>, _ name: String) {
        let detail = "field \(name)"
        guard let space = bytes[range].firstIndex(of: 0x20) else {
            return value(&bytes, range, .plain, kind: .token, name: detail)
        }
        let scheme = String(decoding: bytes[range.lowerBound..<space], as: UTF8.self).lowercased()
        let start = bytes[space..<range.upperBound].firstIndex { $0 != 0x20 } ?? range.upperBound
        let rest = start..<range.upperBound
        switch scheme {
        case "basic":
            guard let text = Base64Text(Array(bytes[rest])),
                let colon = text.bytes.firstIndex(of: 0x3A)
            else { return value(&bytes, rest, .plain, kind: .token, name: detail) }
            var plain = text.bytes
            value(&plain, 0..<colon, .plain, kind: .person, name: detail)
            value(&plain, colon + 1..<plain.count, .plain, kind: .password, name: detail)
            if plain != text.bytes { bytes.replaceSubrange(rest, with: text.encode(plain)) }
        case "digest": parameters(&bytes, rest, name)
        case "apikey":
            guard let colon = bytes[rest].firstIndex(of: 0x3A) else { fallthrough }
            value(&bytes, rest.lowerBound..<colon, .plain, kind: .person, name: detail)
            value(&bytes, colon + 1..<rest.upperBound, .plain, kind: .token, name: detail)
        default: value(&bytes, rest, .plain, kind: .token, name: detail)
        }
    }

    /// What the parameters of credentials and challenges are.
    private static let challenge: [String: SecretKind] = [
        "username": .person, "response": .token, "nonce": .token, "cnonce": .token,
        "opaque": .token, "rspauth": .token, "nextnonce": .token, "username*": .person,
    ]

    private func parameters(_ bytes: inout [UInt8], _ range: Range<Int>, _ name: String) {
        for piece in quotedPieces(bytes, range) {
            guard let equals = bytes[piece].firstIndex(of: 0x3D) else { continue }
            var called = bytes[piece.lowerBound..<equals]
            // The first of them follows the scheme.
            if let space = called.lastIndex(of: 0x20) { called = called[(space + 1)...] }
            var inside = equals + 1..<piece.upperBound
            while let last = bytes[inside].last, last == 0x20 {
                inside = inside.lowerBound..<inside.upperBound - 1
            }
            if inside.count >= 2, bytes[inside.lowerBound] == 0x22,
                bytes[inside.upperBound - 1] == 0x22
            {
                inside = inside.lowerBound + 1..<inside.upperBound - 1
            }
            let key = String(decoding: called, as: UTF8.self).lowercased()
            if key == "uri" {
                url(&bytes, inside)
            } else {
                value(
                    &bytes, inside, .plain, kind: Self.challenge[key], ground: .structure,
                    name: "field \(name), parameter \(key)")
            }
        }
    }

    private func cookie(_ bytes: inout [UInt8], _ range: Range<Int>, _ name: String) {
        guard let equals = bytes[range].firstIndex(of: 0x3D) else {
            return value(&bytes, range, .plain, kind: .cookie, name: "field \(name)")
        }
        value(&bytes, equals + 1..<range.upperBound, .plain, kind: .cookie, name: "field \(name)")
    }

    // MARK: Addresses and forms

    /// A URL or the target of a request: credentials in it, path and query.
    func url(_ bytes: inout [UInt8], _ range: Range<Int>) {
        let query = bytes[range].firstIndex { $0 == 0x3F || $0 == 0x23 } ?? range.upperBound
        var path = range.lowerBound..<query
        if let scheme = bytes[path].firstIndex(of: 0x3A),
            bytes[scheme..<query].starts(with: "://".utf8)
        {
            let start = scheme + 3
            let end = bytes[start..<query].firstIndex(of: 0x2F) ?? query
            if let at = bytes[start..<end].lastIndex(of: 0x40) {
                let colon = bytes[start..<at].firstIndex(of: 0x3A) ?? at
                value(&bytes, start..<colon, .percent, kind: .person, name: "user of a URL")
                if colon < at {
                    value(
                        &bytes, colon + 1..<at, .percent, kind: .password, name: "password of a URL"
                    )
                }
            }
            path = end..<query
        }
        for segment in pieces(bytes, path, 0x2F) {
            value(&bytes, segment, .percent, ground: .structure)
        }
        guard query < range.upperBound else { return }
        form(&bytes, query + 1..<range.upperBound)
    }

    /// Parameters as in a query or a form.
    func form(_ bytes: inout [UInt8], _ range: Range<Int>) {
        for piece in pieces(bytes, range, 0x26) {
            guard let equals = bytes[piece].firstIndex(of: 0x3D) else {
                value(&bytes, piece, .form)
                continue
            }
            let name = SpelledText(Array(bytes[piece.lowerBound..<equals]), .form).text
            value(
                &bytes, equals + 1..<piece.upperBound, .form, kind: places.kind(.parameter, name),
                ground: RedactionPlaces.isIdentifier(name) ? .structure : .value,
                name: "parameter \(String(decoding: name, as: UTF8.self))")
            value(&bytes, piece.lowerBound..<equals, .form, ground: .structure)
        }
    }

    /// The pieces of `range` between `mark`s, without spaces around them.
    private func pieces(_ bytes: [UInt8], _ range: Range<Int>, _ mark: UInt8) -> [Range<Int>] {
        bytes[range].split(separator: mark).compactMap { piece in
            guard let first = piece.firstIndex(where: { $0 != 0x20 }),
                let last = piece.lastIndex(where: { $0 != 0x20 })
            else { return nil }
            return first..<last + 1
        }
    }

    /// The pieces of `range` between commas outside of quotes.
    private func quotedPieces(_ bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = range.lowerBound
        var isQuoted = false
        for index in range {
            if bytes[index] == 0x22 { isQuoted.toggle() }
            guard bytes[index] == 0x2C, !isQuoted else { continue }
            pieces.append(start..<index)
            start = index + 1
        }
        return pieces + [start..<range.upperBound]
    }
}
