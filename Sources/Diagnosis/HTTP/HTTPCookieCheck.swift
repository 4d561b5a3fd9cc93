import Dissection
import Notation
import Wire

/// Follows the cookies of each connection.
///
/// Only within one connection, since all of its requests come from one program; another program on
/// the same device has its own cookies.
struct HTTPCookieCheck {
    private struct Cookie {
        let host: String
        let path: String
        let isSecure: Bool
        let expiresAt: Int64?
        let step: FindingStep
        var wasSent = false
    }

    private var jars: [ConnectionID: [String: Cookie]] = [:]
    private static let maxJars = 4_096
    private static let maxCookies = 64

    mutating func asked(
        _ exchange: borrowing ExchangeEvidence, _ glance: HeadSummary,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard !jars.isEmpty, var jar = jars[exchange.row.connection] else { return }
        let row = exchange.row
        let sent = Set(
            (exchange.request?.head.all("cookie") ?? []).flatMap { $0.value.split(separator: ";") }
                .map { pair in
                    String(pair.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" })
                })
        for (name, cookie) in jar.sorted(by: { $0.key < $1.key })
        where cookie.host == row.host && !(cookie.isSecure && row.scheme != "https") {
            if let end = cookie.expiresAt, row.startedAt.nanoseconds >= end {
                jar[name] = nil
            } else if sent.contains(name) {
                jar[name]?.wasSent = true
            } else if cookie.wasSent, Self.matches(row.path, cookie.path) {
                jar[name] = nil
                report.add(
                    Finding(
                        HTTPRules.cookieLost, asked: copy exchange, session,
                        detail:
                            "\(row.method) \(row.path) lacks the cookie \(Quote.escaped(name)), which the client sent before on this connection and which is for \(Quote.escaped(cookie.path)).",
                        before: [cookie.step]))
            }
        }
        jars[row.connection] = jar
    }

    mutating func answered(
        _ exchange: borrowing ExchangeEvidence, _ glance: HeadSummary,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard glance.names.contains(.setCookie), let response = exchange.response else { return }
        let row = exchange.row
        guard row.outcome == .complete else {
            // Whether the client received it is not known.
            jars[row.connection] = nil
            return
        }
        if jars.count >= Self.maxJars, jars[row.connection] == nil { jars.removeAll() }
        var jar = jars[row.connection] ?? [:]
        let head = response.head
        for field in head.all("set-cookie") {
            let words = field.value.split(separator: ";").map(Self.trimmed)
            guard let pair = words.first, let equals = pair.firstIndex(of: "="),
                jar.count < Self.maxCookies
            else { continue }
            let name = String(pair[..<equals])
            guard !name.isEmpty else { continue }
            let before = jar[name]
            jar[name] = cookie(words, value: pair[pair.index(after: equals)...], head, exchange)
            if let before, let now = jar[name], !before.wasSent, before.host == now.host,
                !exchange.isAnswerTouched
            {
                report.add(
                    Finding(
                        HTTPRules.cookiesIgnored, asked: copy exchange, session,
                        detail:
                            "The server set the cookie \(Quote.escaped(name)) again: the client has not sent it back.",
                        before: [before.step]))
            }
            if let before { jar[name]?.wasSent = before.wasSent }
        }
        jars[row.connection] = jar
    }

    /// The cookie that is set; nil where it is removed, or its life is not known.
    private func cookie(
        _ words: [String], value: Substring, _ head: HeadLines,
        _ exchange: borrowing ExchangeEvidence
    ) -> Cookie? {
        let row = exchange.row
        var path = Self.folder(of: row.path)
        var isSecure = false
        var lifetime: Int64?
        var hasAge = false
        for word in words.dropFirst() {
            let name = word.prefix { $0 != "=" }.lowercased()
            let argument = Self.trimmed(word.dropFirst(name.count + 1))
            switch name {
            case "path": path = argument.hasPrefix("/") ? argument : path
            case "secure": isSecure = true
            case "max-age":
                guard let age = Int64(argument), age > 0 else { return nil }
                (lifetime, hasAge) = (min(age, 1 << 32), true)
            case "expires" where !hasAge:
                guard let end = HTTPDate.parse(argument),
                    let now = head.value("date").flatMap(HTTPDate.parse),
                    end.unixSeconds > now.unixSeconds
                else { return nil }
                lifetime = min(end.unixSeconds - now.unixSeconds, 1 << 32)
            case "domain":
                let domain = argument.drop { $0 == "." }.lowercased()
                // Cookies for other hosts are refused by clients.
                guard row.host == domain || row.host.hasSuffix("." + domain) else { return nil }
            default: break
            }
        }
        guard !value.isEmpty else { return nil }
        let ended = (row.endedAt ?? row.startedAt).nanoseconds
        return Cookie(
            host: row.host, path: path, isSecure: isSecure,
            expiresAt: lifetime.map { ended + $0 * 1_000_000_000 },
            step: FindingStep(
                response: copy exchange, "the cookie is set",
                quote: "Set-Cookie: \(words.first.map { $0.prefix { $0 != "=" } } ?? "")=…"))
    }

    /// The default path of a cookie (RFC 6265, 5.1.4).
    private static func folder(of path: String) -> String {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a cookie for `folder` goes with a request for `path` (RFC 6265, 5.1.4).
    private static func matches(_ path: String, _ folder: String) -> Bool {
        guard path.hasPrefix(folder) else { return false }
        return path.utf8.count == folder.utf8.count || folder.hasSuffix("/")
            || path.dropFirst(folder.count).hasPrefix("/")
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
