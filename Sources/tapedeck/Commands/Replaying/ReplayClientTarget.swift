import ArgumentParser
import Foundation
import Replaying
import SyncClients

/// Options for the live servers that a recorded client is played to, and its users.
struct ReplayClientTarget: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server for all recorded hosts, or with HOST= for one of them; may be repeated.",
            valueName: "url|host=url"))
    var to: [String]

    @Option(
        help: ArgumentHelp(
            "Log in as this user, or with RECORDED= in place of that user only; the password is TAPEDECK_PASSWORD. {} is the number of the client.",
            valueName: "name|recorded=name"))
    var user: [String] = []

    @Option(
        help: ArgumentHelp(
            "Access token in place of recorded ones; TAPEDECK_TOKEN is read without it.",
            valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Trust the authorities in this PEM file as well; SSL_CERT_FILE is read without it.",
            valueName: "file"), completion: .file())
    var ca: String?

    /// The live server, without pace and number of clients.
    func target(rules: [IgnoreRule]) throws -> ReplayTarget {
        var target = ReplayTarget()
        guard !to.isEmpty else {
            throw Failure(.usage, "name the server with --to, such as --to http://127.0.0.1:8000")
        }
        for text in to {
            let (host, url) = Self.pair(text)
            guard let server = SimperiumTarget(url: url) else {
                throw Failure(.usage, "\(url) is not a URL with http or https and without a query")
            }
            if let host {
                target.hosts[host.lowercased()] = server
            } else if target.base == nil {
                target.base = server
            } else {
                throw Failure(.usage, "--to \(url): one URL applies to all hosts; write HOST=URL")
            }
        }
        if !user.isEmpty {
            guard
                let password = Self.environment("TAPEDECK_PASSWORD")
                    ?? ClientCommCareOptions.ask("password of \(user.joined(separator: ", ")): ")
            else {
                throw Failure(
                    .usage,
                    "set the password of \(user.joined(separator: ", ")) in "
                        + "TAPEDECK_PASSWORD")
            }
            for text in user {
                let (recorded, name) = Self.pair(text)
                let login = ReplayTarget.Login(user: name, password: password)
                if let recorded {
                    target.logins[recorded] = login
                } else {
                    target.login = login
                }
            }
        }
        target.token = token ?? Self.environment("TAPEDECK_TOKEN")
        target.trustFile = ca ?? Self.environment("SSL_CERT_FILE")
        if let file = target.trustFile, !FileManager.default.isReadableFile(atPath: file) {
            throw Failure(.noInput, "\(file) cannot be read; check --ca")
        }
        target.rules = rules
        return target
    }

    /// The text before and after an equals sign; one in the query of a URL does not count.
    static func pair(_ text: String) -> (String?, String) {
        guard let equals = text.firstIndex(of: "="),
            !text[..<equals].contains("/"), equals > text.startIndex
        else { return (nil, text) }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    private static func environment(_ name: String) -> String? {
        let value = ProcessInfo.processInfo.environment[name] ?? ""
        return value.isEmpty ? nil : value
    }
}
