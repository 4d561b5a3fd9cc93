import ArgumentParser
import Foundation
import Interception
import Proxying

/// How servers are connected to, and TLS of both legs.
struct OutwardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Reach servers through this proxy: http://, https:// or socks5://[USER:PASSWORD@]HOST:PORT, HOST=URL for a host (or *.host), HOST=direct for none, env for the variables http_proxy, https_proxy, all_proxy and no_proxy; may be repeated.",
            valueName: "url"))
    var upstream: [UpstreamArgument] = []

    @Option(
        help: ArgumentHelp(
            "Connect to this address for a host and port, in place of asking a name server: HOST:PORT:ADDRESS[,ADDRESS], * for every host; may be repeated.",
            valueName: "host:port:address"))
    var resolve: [KnownAddress] = []

    @Option(help: ArgumentHelp("Connect to servers from this address.", valueName: "address"))
    var bind: String?

    @Option(
        help: ArgumentHelp(
            "Show this certificate to servers that ask for one: PEM with its key, or PKCS#12; HOST=FILE for a host (or *.host); may be repeated; the password is in TAPEDECK_CERTIFICATE_PASSWORD.",
            valueName: "file"), completion: .file())
    var clientCertificate: [String] = []

    @Flag(help: "Ask clients for a certificate, which the trace then names; any will do, and none.")
    var askClientCertificate = false

    @Option(
        help: ArgumentHelp(
            "Oldest version of TLS, with clients and servers.", valueName: "1.0|1.1|1.2|1.3"))
    var tlsMin = OldestTLSArgument(.tls12)

    /// Where and how to connect.
    ///
    /// - Throws: ``Failure`` where an address is none.
    func outward() throws(Failure) -> Outward {
        if let bind, !KnownAddress.isAddress(bind) {
            throw Failure(
                .usage, "--bind \(bind) is no IP address; write one of this machine's addresses")
        }
        return Outward(bind: bind, answers: resolve.map(\.answer))
    }

    /// The proxies between this one and servers.
    func rules() throws(Failure) -> UpstreamRules {
        try UpstreamArgument.rules(upstream, ProcessInfo.processInfo.environment)
    }

    /// The certificates for servers.
    ///
    /// - Throws: ``Failure`` where one cannot be read.
    func certificates() throws(Failure) -> [ClientCertificate] {
        let password = ProcessInfo.processInfo.environment["TAPEDECK_CERTIFICATE_PASSWORD"]
        var certificates: [ClientCertificate] = []
        for text in clientCertificate {
            let equals = text.firstIndex(of: "=").flatMap {
                text[..<$0].contains("/") ? nil : $0
            }
            let file = equals.map { String(text[text.index(after: $0)...]) } ?? text
            do {
                certificates.append(
                    try ClientCertificate(
                        file: file, host: equals.map { String(text[..<$0]) }, password: password))
            } catch {
                throw Failure(
                    error.code == .storage ? .noInput : .data,
                    "--client-certificate: \(error.reason)")
            }
        }
        // Those for a host count before those for all.
        let named = zip(clientCertificate, certificates).filter { $0.0.contains("=") }.map(\.1)
        let others = zip(clientCertificate, certificates).filter { !$0.0.contains("=") }.map(\.1)
        return named + others
    }
}

/// What `--tls-min` takes.
struct OldestTLSArgument: ExpressibleByArgument, Hashable {
    let version: OldestTLS

    init(_ version: OldestTLS) { self.version = version }

    init?(argument: String) {
        guard let version = OldestTLS(rawValue: argument) else { return nil }
        self.version = version
    }

    var defaultValueDescription: String { version.rawValue }

    static var allValueStrings: [String] { OldestTLS.allCases.map(\.rawValue) }
}

/// `HOST:PORT:ADDRESS[,ADDRESS…]`, as curl's `--resolve` takes it.
struct KnownAddress: ExpressibleByArgument, Hashable {
    let answer: Outward.Answer

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let port = Int(parts[1]),
            (1...65535).contains(port)
        else { return nil }
        let addresses = parts[2].split(separator: ",", omittingEmptySubsequences: false).map {
            $0.first == "[" && $0.last == "]" ? String($0.dropFirst().dropLast()) : String($0)
        }
        guard addresses.allSatisfy(Self.isAddress) else { return nil }
        answer = Outward.Answer(
            host: parts[0] == "*" ? nil : parts[0].lowercased(), port: port, addresses: addresses)
    }

    /// Whether a text is an IP address.
    static func isAddress(_ text: String) -> Bool { Outward.isAddress(text) }
}
