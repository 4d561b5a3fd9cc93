import Framing
import Wire

/// The closed list of changes that the proxy makes to heads.
///
/// Each is a patch relative to the first byte of the head, in ascending order.
enum HeadRewrite {
    /// Rewrites a request to a forward proxy for the server: the target in origin-form, `Host` of
    /// the target, and no fields that were meant for the proxy (RFC 9112, 3.2.1 and 3.2.2).
    static func forwarded(
        _ head: HTTPHead, _ target: HTTPTarget, server: ServerAddress
    ) -> [Patch] {
        let missing = target.lacksPath ? (head.method == "OPTIONS" ? "*" : "/") : ""
        var patches = [
            Patch(
                offset: head.targetRange.lowerBound, removed: target.originStart,
                inserted: Array(missing.utf8), reason: .requestTarget)
        ]
        let authority = server.authority
        for field in head.fields {
            switch head.text(field.name).lowercased() {
            case "host" where head.text(field.value).lowercased() != authority:
                patches.append(replace(field.value, by: authority, .host))
            case "proxy-connection", "proxy-authorization":
                patches.append(
                    Patch(
                        offset: field.line.lowerBound, removed: field.line.count, inserted: [],
                        reason: .hopByHop))
            default:
                continue
            }
        }
        return patches
    }

    /// What a request to a reverse proxy becomes for the server, which is known by `authority`.
    static func reversed(_ head: HTTPHead, scheme: String, authority: String) -> [Patch] {
        guard let host = head.first("host") else { return [] }
        var patches: [Patch] = []
        if !head.isText(authority, ignoringCaseIn: host.value) {
            patches.append(replace(host.value, by: authority, .host))
        }
        guard let field = head.first("origin") else { return patches }
        let own = head.text(host.value).lowercased()
        let origin = head.text(field.value).lowercased()
        if origin == "http://\(own)" || origin == "https://\(own)" {
            patches.append(replace(field.value, by: "\(scheme)://\(authority)", .origin))
        }
        return patches.sorted { $0.offset < $1.offset }
    }

    /// Rewrites a response from behind a reverse proxy for the client: URLs of the server refer to
    /// the proxy, under the name that the client uses for it.
    static func response(
        _ head: HTTPHead, server: ServerAddress, proxy: String, isProxyTLS: Bool
    ) -> [Patch] {
        guard !proxy.isEmpty else { return [] }
        return (head.all("location") + head.all("content-location")).compactMap { field in
            let text = head.text(field.value)
            guard let end = authorityEnd(of: text, naming: server) else { return nil }
            return Patch(
                offset: field.value.lowerBound, removed: end,
                inserted: Array("\(isProxyTLS ? "https" : "http")://\(proxy)".utf8),
                reason: .location)
        }.sorted { $0.offset < $1.offset }
    }

    /// Takes the offers of other protocols and places out of a response (RFC 7838, 3).
    static func alternatives(_ head: HTTPHead) -> [Patch] {
        head.all("alt-svc").map {
            Patch(
                offset: $0.line.lowerBound, removed: $0.line.count, inserted: [], reason: .altSvc)
        }
    }

    /// Has cookies of a server that a request was mapped to kept for the server that the client asked:
    /// without their domain, and without TLS also without `Secure` (RFC 6265, 5.2).
    static func cookies(_ head: HTTPHead, isClientTLS: Bool) -> [Patch] {
        head.all("set-cookie").flatMap { field -> [Patch] in
            let value = field.value
            var patches: [Patch] = []
            var start = head.bytes[value].firstIndex(of: UInt8(ascii: ";")) ?? value.upperBound
            while start < value.upperBound {
                let next =
                    head.bytes[(start + 1)..<value.upperBound].firstIndex(of: UInt8(ascii: ";"))
                    ?? value.upperBound
                let text = head.text(start + 1..<next).lowercased()
                    .split { $0 == " " || $0 == "\t" }.joined()
                if text.hasPrefix("domain=") || text == "secure" && !isClientTLS {
                    patches.append(
                        Patch(
                            offset: start, removed: next - start, inserted: [], reason: .location))
                }
                start = next
            }
            return patches
        }
    }

    /// Length in bytes of scheme and authority of `url`, if they name `server`.
    private static func authorityEnd(of url: String, naming server: ServerAddress) -> Int? {
        let bytes = Array(url.utf8)
        let lower = Array(url.lowercased().utf8)
        for (scheme, isTLS) in [("http://", false), ("https://", true)] {
            let prefix = Array(scheme.utf8)
            guard lower.starts(with: prefix) else { continue }
            let rest = lower[prefix.count...]
            let stop = rest.firstIndex { [0x2F, 0x3F, 0x23].contains($0) } ?? lower.count
            let authority = String(decoding: lower[prefix.count..<stop], as: UTF8.self)
            let other = ServerAddress(host: server.host, port: isTLS ? 443 : 80, isTLS: isTLS)
            // A server that sends its clients from http to https, or names its port, is meant too.
            guard
                [server.authority, other.authority, "\(other.authority):\(server.port)"]
                    .contains(authority)
            else { return nil }
            return min(stop, bytes.count)
        }
        return nil
    }

    private static func replace(
        _ range: Range<Int>, by text: String, _ reason: Patch.Reason
    ) -> Patch {
        Patch(
            offset: range.lowerBound, removed: range.count, inserted: Array(text.utf8),
            reason: reason)
    }
}

extension Patch {
    /// The same as something that a rule did: each side then has had its own.
    var ofRule: Patch {
        var patch = self
        if patch.reason != .requestTarget, patch.reason != .hopByHop { patch.reason = .fault }
        return patch
    }
}
