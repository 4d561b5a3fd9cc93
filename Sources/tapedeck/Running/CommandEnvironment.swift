import Foundation

/// The environment of a program that has to reach a proxy or server of ours, trust it, and know
/// where it is: one place for all variables of all runtimes.
struct CommandEnvironment {
    /// Files with the certificates that the program has to trust.
    struct Trust: Hashable {
        /// Our authority, as PEM.
        var authority: String
        /// Our authority and those of the system, as PEM.
        var bundle: String
        /// The same as a JKS store.
        var java: String
    }

    /// `HOST:PORT` of a proxy that all requests are to go through; nil for none.
    var proxy: String?
    /// `HOST:PORT` of a SOCKS proxy, where there is none of HTTP; nil for none.
    var socks: String?
    /// `HOST:PORT` of what acts as a server; nil for none.
    var server: String?
    /// Certificates to trust; nil where nothing of ours has one.
    var trust: Trust?
    /// Whether all its connections are recorded as they are, so that no proxy is to be used.
    var isIsolated = false
    /// Variables of the one who starts it, such as `TAPEDECK_TRACE`.
    var more: [String: String] = [:]

    /// Names that always mean this machine.
    private static let local = "localhost,127.0.0.1,::1"

    /// The variables that hold a proxy.
    static let proxies = [
        "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]

    /// The variables that hold a file with all certificates to trust, in place of the system's.
    static let bundles = [
        "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT",
        "AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO",
    ]

    /// The variables that hold a file with certificates to trust besides the system's.
    static let additions = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]

    /// The address that a program of this machine connects to for a listening address.
    static func reachable(_ host: String, _ port: Int) -> String {
        switch host {
        case "0.0.0.0": ListenAddress.text("127.0.0.1", port)
        case "::": ListenAddress.text("::1", port)
        default: ListenAddress.text(host, port)
        }
    }

    /// The whole environment, from that of this process.
    func variables(over inherited: [String: String]) -> [String: String] {
        var all = inherited.merging(more) { $1 }
        if let server { all["TAPEDECK_URL"] = "http://\(server)" }
        if isIsolated {
            for name in Self.proxies + ["no_proxy", "NO_PROXY"] { all[name] = nil }
        } else if let url = proxy.map({ "http://\($0)" }) ?? socks.map({ "socks5h://\($0)" }) {
            all["TAPEDECK_PROXY"] = url
            for name in Self.proxies { all[name] = url }
            // A list of the user's would leave out servers under test, which are often local.
            all["no_proxy"] = nil
            all["NO_PROXY"] = nil
            all["NODE_USE_ENV_PROXY"] = "1"
        } else if Self.proxies.contains(where: { all[$0] != nil }) {
            for name in ["no_proxy", "NO_PROXY"] {
                let list = all[name] ?? ""
                all[name] = list.isEmpty ? Self.local : "\(list),\(Self.local)"
            }
        }
        if let trust {
            all["TAPEDECK_CA"] = trust.authority
            for name in Self.bundles { all[name] = trust.bundle }
            for name in Self.additions { all[name] = trust.authority }
        }
        let java = javaOptions
        if !java.isEmpty {
            let given = all["JAVA_TOOL_OPTIONS"].map { [$0] } ?? []
            all["JAVA_TOOL_OPTIONS"] = (given + java).joined(separator: " ")
        }
        return all
    }

    /// The properties of a Java program; a later one of the same name replaces an earlier.
    private var javaOptions: [String] {
        var options: [String] = []
        if isIsolated {
            // No property is a proxy.
        } else if let proxy, let colon = proxy.lastIndex(of: ":") {
            let host = proxy[..<colon].trimmingCharacters(in: ["[", "]"])
            for scheme in ["http", "https"] {
                options.append("-D\(scheme).proxyHost=\(host)")
                options.append("-D\(scheme).proxyPort=\(proxy[proxy.index(after: colon)...])")
            }
            // Java leaves out local servers unless this is empty.
            options.append("-Dhttp.nonProxyHosts=")
        } else if let socks, let colon = socks.lastIndex(of: ":") {
            options.append(
                "-DsocksProxyHost=\(socks[..<colon].trimmingCharacters(in: ["[", "]"]))")
            options.append("-DsocksProxyPort=\(socks[socks.index(after: colon)...])")
        }
        if let trust {
            options.append("-Djavax.net.ssl.trustStore=\(trust.java)")
            options.append("-Djavax.net.ssl.trustStoreType=JKS")
        }
        return options.map { $0.contains(" ") ? "\"\($0)\"" : $0 }
    }
}
