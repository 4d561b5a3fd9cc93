/// The target of a request, as in its request line.
///
/// Source: RFC 9112, 3.2.
public struct HTTPTarget: Hashable, Sendable {
    /// How a target is written.
    public enum Form: Hashable, Sendable {
        /// A path, maybe with a query: what a server gets.
        case origin
        /// A URL: what a proxy gets.
        case absolute
        /// `HOST:PORT`, of `CONNECT` alone.
        case authority
        /// `*`: the server as a whole.
        case asterisk
    }

    /// How the target is written.
    public var form: Form
    /// Scheme of a URL in lower case; nil in other forms.
    public var scheme: String?
    /// The server, in absolute and authority form, the port being the scheme's if none is stated.
    public var authority: HTTPAuthority?
    /// The path as sent, `/` where a URL has none; empty in authority form, `*` in asterisk form.
    public var path: String
    /// The query as sent, without the question mark; nil where there is none.
    public var query: String?
    /// Where the origin form begins in the bytes of the target: the path, or the query of a URL
    /// without a path, or the end of a URL with neither.
    public var originStart: Int
    /// Whether the path must be put in by who makes an origin form of a URL without one.
    public var lacksPath: Bool
}

extension HTTPTarget {
    /// The port that the scheme of the target has where none is stated, if it is a known one.
    public var defaultPort: Int? { scheme.flatMap(Self.defaultPort(of:)) }

    /// The port of `http`, `https`, `ws` and `wss`, in lower case; nil for other schemes.
    public static func defaultPort(of scheme: String) -> Int? {
        switch scheme {
        case "http", "ws": 80
        case "https", "wss": 443
        default: nil
        }
    }

    /// Reads a request target.
    ///
    /// - Parameters:
    ///   - bytes: The target as sent.
    ///   - method: The method of the request, on which the form depends.
    /// - Returns: The target in its parts.
    /// - Throws: ``HTTPTargetError``, with the offset of the error in bytes.
    public static func parse(
        _ bytes: borrowing Span<UInt8>, method: String
    ) throws(HTTPTargetError) -> HTTPTarget {
        guard !bytes.isEmpty else { throw .empty }
        if method == "CONNECT" {
            let authority = try HTTPAuthority.parse(bytes, defaultPort: nil)
            return HTTPTarget(
                form: .authority, authority: authority, path: "", originStart: bytes.count,
                lacksPath: true)
        }
        if bytes[0] == 0x2F {
            return located(.origin, bytes, from: 0)
        }
        if bytes.isEqual(0..<bytes.count, to: "*") {
            return HTTPTarget(
                form: .asterisk, path: "*", originStart: 0, lacksPath: false)
        }
        return try parseAbsolute(bytes)
    }

    private static func parseAbsolute(
        _ bytes: borrowing Span<UInt8>
    ) throws(HTTPTargetError) -> HTTPTarget {
        let colon = bytes.firstIndex(of: 0x3A, in: 0..<bytes.count)
        let start = colon + 3
        guard colon > 0, start <= bytes.count, bytes.isEqual(colon..<start, to: "://") else {
            throw .form
        }
        for index in 0..<colon where !isSchemeCharacter(bytes[index]) { throw .form }
        let scheme = String(
            decoding: bytes.copied(0..<colon).map(\.lowercased), as: UTF8.self)

        var end = start
        var host = start
        while end < bytes.count, bytes[end] != 0x2F, bytes[end] != 0x3F, bytes[end] != 0x23 {
            // User information ends at the last at sign, as browsers read it.
            if bytes[end] == 0x40 { host = end + 1 }
            end += 1
        }
        let authority: HTTPAuthority
        do {
            authority = try HTTPAuthority.parse(
                bytes.extracting(host..<end), defaultPort: defaultPort(of: scheme))
        } catch {
            switch error {
            case .empty: throw .host(offset: host)
            case .host(let offset): throw .host(offset: host + offset)
            case .port(let offset) where host + offset == end && defaultPort(of: scheme) == nil:
                throw .scheme(scheme)
            case .port(let offset): throw .port(offset: host + offset)
            case .form, .scheme: throw error
            }
        }
        var target = located(.absolute, bytes, from: end)
        target.scheme = scheme
        target.authority = authority
        return target
    }

    /// The target with the path and query that begin at `start`.
    private static func located(
        _ form: Form, _ bytes: borrowing Span<UInt8>, from start: Int
    ) -> HTTPTarget {
        // A fragment is never sent by the rules; where it is, it belongs to neither.
        let end = bytes.firstIndex(of: 0x23, in: start..<bytes.count)
        let mark = bytes.firstIndex(of: 0x3F, in: start..<end)
        let path = bytes.copied(start..<mark).lossyText
        return HTTPTarget(
            form: form, path: path.isEmpty ? "/" : path,
            query: mark < end ? bytes.copied(mark + 1..<end).lossyText : nil,
            originStart: start, lacksPath: mark == start)
    }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }
}

extension HTTPHead {
    /// The target of a request in its parts.
    ///
    /// - Throws: ``HTTPTargetError``; ``HTTPTargetError/empty`` for a response.
    public func parsedTarget() throws(HTTPTargetError) -> HTTPTarget {
        try HTTPTarget.parse(bytes.span.extracting(targetRange), method: method)
    }
}

extension HTTPTarget {
    /// The server of an `http://` or `https://` URL (`ws` and `wss` count as these); nil for
    /// anything else, also for a URL with a path, since requests keep their own.
    package static func server(
        of url: String
    ) -> (host: String, port: Int, isTLS: Bool)? {
        guard let target = try? parse(Array(url.utf8).span, method: "GET"),
            target.form == .absolute, let authority = target.authority,
            let standard = target.defaultPort, !authority.host.isEmpty, authority.port > 0,
            target.path == "/", target.query == nil
        else { return nil }
        return (authority.host, authority.port, standard == 443)
    }
}
