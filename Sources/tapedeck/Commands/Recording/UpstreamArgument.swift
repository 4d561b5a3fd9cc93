import ArgumentParser
import Framing
import Notation
import Proxying

/// What `--upstream` takes: a proxy, for all servers or for some.
enum UpstreamArgument: ExpressibleByArgument, Hashable {
    /// The variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case environment
    /// A proxy, or none, for these hosts or for all.
    case rule(UpstreamRules.Rule)

    /// `URL`, `HOST=URL`, `HOST=direct` or `env`.
    init?(argument: String) {
        guard argument != "env" else {
            self = .environment
            return
        }
        var hosts: HostPattern?
        var url = argument[...]
        // A password may have an equals sign as well.
        if let equals = argument.firstIndex(of: "="), !argument[..<equals].contains("/") {
            guard equals > argument.startIndex else { return nil }
            hosts = HostPattern(String(argument[..<equals]))
            url = argument[argument.index(after: equals)...]
        }
        guard url != "direct" else {
            guard hosts != nil else { return nil }
            self = .rule(UpstreamRules.Rule(hosts: hosts, proxy: nil))
            return
        }
        guard let proxy = UpstreamProxy(url: url) else { return nil }
        self = .rule(UpstreamRules.Rule(hosts: hosts, proxy: proxy))
    }

    /// The rules of all options.
    ///
    /// - Throws: ``Failure`` where a variable has no URL of a proxy.
    static func rules(
        _ arguments: [UpstreamArgument], _ environment: [String: String]
    ) throws(Failure) -> UpstreamRules {
        var rules = UpstreamRules()
        for argument in arguments {
            switch argument {
            case .rule(let rule): rules.rules.append(rule)
            case .environment:
                rules.rules += try inherited(environment)
                rules.exceptions = ProxyExceptions(
                    environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
            }
        }
        return rules
    }

    /// What the variables say.
    ///
    /// `HTTP_PROXY` in capitals does not count, as for curl: programs that a web
    /// server runs get it from a client.
    private static func inherited(
        _ environment: [String: String]
    ) throws(Failure) -> [UpstreamRules.Rule] {
        var rules: [UpstreamRules.Rule] = []
        for (names, isTLS) in [
            (["http_proxy"], false), (["https_proxy", "HTTPS_PROXY"], true),
            (["all_proxy", "ALL_PROXY"], nil),
        ] as [([String], Bool?)] {
            guard let name = names.first(where: { !(environment[$0] ?? "").isEmpty }),
                let value = environment[name]
            else { continue }
            guard let proxy = UpstreamProxy(url: value.contains("://") ? value : "http://\(value)")
            else {
                throw Failure(
                    .usage, "--upstream env: \(name) is no URL of an HTTP or SOCKS 5 proxy")
            }
            rules.append(UpstreamRules.Rule(isTLS: isTLS, proxy: proxy))
        }
        return rules
    }
}

extension UpstreamProxy {
    /// `http://`, `https://`, `socks5://` or `socks5h://`, with or without `USER:PASSWORD@`; nil for
    /// anything else.
    init?(url: some StringProtocol) {
        let url = String(url)
        guard let range = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<range.lowerBound].lowercased()
        guard let kind = Kind(rawValue: scheme == "socks5h" ? "socks5" : scheme) else { return nil }
        var place = url[range.upperBound...]
        if place.last == "/" { place.removeLast() }
        var credentials: Credentials?
        if let at = place.lastIndex(of: "@") {
            let parts = place[..<at].split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false
            ).map { String(decoding: PercentEncoding.decode($0.utf8), as: UTF8.self) }
            guard let user = parts.first, !user.isEmpty else { return nil }
            credentials = Credentials(user: user, password: parts.count > 1 ? parts[1] : "")
            place = place[place.index(after: at)...]
        }
        let port = [Kind.http: 80, .https: 443, .socks5: 1080][kind]
        guard let authority = try? HTTPAuthority.parse(String(place), defaultPort: port),
            authority.port > 0
        else { return nil }
        self.init(
            kind: kind, host: authority.host, port: authority.port, credentials: credentials)
    }
}
