import ArgumentParser
import Foundation
import Redaction
import SyncClients

/// Options for the server that something is sent to, and what it may see.
struct SendTarget: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send it to this server, under the recorded path (default: the recorded server).",
            valueName: "url"))
    var to: String?

    @Flag(
        help: """
            Send cookies, tokens and passwords to another server too; without it they are left out.
            """)
    var withCredentials = false

    @Option(
        help: ArgumentHelp(
            "For a command: the access token in place of the recorded one; TAPEDECK_TOKEN is read without it.",
            valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Trust the authorities in this PEM file as well; SSL_CERT_FILE is read without it.",
            valueName: "file"), completion: .file())
    var ca: String?

    @Flag(help: "Accept any certificate of the server.")
    var insecure = false

    /// The server.
    ///
    /// - Parameter recorded: The recorded one.
    /// - Returns: That of `--to`, else the recorded one.
    /// - Throws: ``Failure`` where `--to` is no URL of one.
    func server(_ recorded: SimperiumTarget) throws(Failure) -> SimperiumTarget {
        guard let to else { return recorded }
        guard let server = SimperiumTarget(url: to) else {
            throw Failure(
                .usage, "--to \(to) is not a URL with http or https and without a query")
        }
        return server
    }

    /// Whether a server may not see what was meant for the recorded one.
    ///
    /// Cookies do not tell ports apart (RFC 6265, 8.5); what went over TLS does not go without.
    func hidesCredentials(from server: SimperiumTarget, recorded: SimperiumTarget) -> Bool {
        guard !withCredentials, to != nil else { return false }
        return server.host.lowercased() != recorded.host.lowercased()
            || recorded.isSecure && !server.isSecure
    }

    /// Which certificates are accepted.
    func trust() throws(Failure) -> SendTrust {
        if insecure {
            StandardError.write("tapedeck: --insecure: the server's certificate is not verified\n")
            return .insecure
        }
        let file = ca ?? Self.environment("SSL_CERT_FILE")
        if let file, !FileManager.default.isReadableFile(atPath: file) {
            throw Failure(.noInput, "\(file) cannot be read; check --ca")
        }
        return .verified(trustFile: file)
    }

    /// The token that a command is sent with; nil for the recorded one.
    var chosenToken: String? { token ?? Self.environment("TAPEDECK_TOKEN") }

    /// Names of what is a secret by its place.
    static func secrets(in containers: Set<RedactionPlaces.Container>) -> Set<String> {
        let kinds: Set<SecretKind> = [.token, .cookie, .password]
        return Set(
            RedactionPlaces.all.filter {
                containers.contains($0.container) && kinds.contains($0.kind)
            }.map(\.name))
    }

    private static func environment(_ name: String) -> String? {
        let value = ProcessInfo.processInfo.environment[name] ?? ""
        return value.isEmpty ? nil : value
    }
}
