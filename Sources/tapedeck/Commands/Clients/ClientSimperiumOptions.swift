import ArgumentParser
import Foundation
import Simperium
import SyncClients

/// Options for the server and the user of a Simperium client.
struct ClientSimperiumOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server: a URL with ws, wss, http or https.", valueName: "url"))
    var to: String?

    @Option(help: ArgumentHelp("Identifier of the application.", valueName: "app"))
    var app: String

    @Option(
        help: ArgumentHelp(
            "Access token; TAPEDECK_TOKEN is read without it.", valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Get a token from the auth API for this user; the password is TAPEDECK_PASSWORD.",
            valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp(
            "The application's key for the auth API, if it requires one.", valueName: "key"))
    var apiKey: String?

    @Option(
        help: ArgumentHelp(
            "A bucket; give several for several channels on one socket. Keys are of the first.",
            valueName: "name"))
    var bucket: [String]

    @Option(
        help: ArgumentHelp(
            "Folder that keeps the state, so that what was not sent is sent later.",
            valueName: "dir"), completion: .directory)
    var state: String?

    @Flag(help: "Speak SockJS instead of a plain WebSocket.")
    var sockjs = false

    @Option(
        help: ArgumentHelp(
            "Trust the authorities in this PEM file as well; SSL_CERT_FILE is read without it.",
            valueName: "file"), completion: .file())
    var ca: String?

    @Flag(help: "Read the index without data, and each object by a separate request.")
    var noData = false

    @Option(
        help: ArgumentHelp("Entries of a page of the index, 1 to 1000.", valueName: "n"))
    var pageSize = 100

    @Option(
        help: ArgumentHelp(
            "Seconds to wait for the server before giving up until later.", valueName: "seconds"))
    var patience: Double = 30

    @Flag(help: "Report on standard error what happens (default on a terminal).")
    var verbose = false

    mutating func validate() throws {
        func require(_ isWell: Bool, _ text: String) throws {
            if !isWell { throw ValidationError(text) }
        }
        try require(!bucket.isEmpty, "name a bucket with --bucket")
        try require(Set(bucket).count == bucket.count, "each --bucket can be given once")
        for name in bucket {
            try require(
                IdentifierGrammar.isBucket(name),
                "\(name) is not a valid bucket: 1 to 64 letters, digits and ._-% are allowed")
        }
        try require(
            IdentifierGrammar.isApp(app),
            "\(app) is not a valid app: letters, digits and ._- are allowed")
        try require(1...1000 ~= pageSize, "--page-size is 1 to 1000")
        try require(patience > 0 && patience < 1e6, "--patience is more than 0 seconds")
        try require(token == nil || user == nil, "give --token or --user, not both")
    }

    /// The first bucket, which keys are of.
    var first: String { bucket.first ?? "" }

    /// Refuses a key that no object can have.
    func check(key: String) throws {
        guard IdentifierGrammar.isKey(key) else {
            throw Failure(
                .usage, "\(key) is not a valid key: 1 to 256 letters, digits and ._-%@ are allowed")
        }
    }

    var wait: Int64 { Int64(patience * 1e9) }

    /// The client; offline it needs no server.
    func client(isOffline: Bool = false) throws -> SimperiumClient {
        guard let url = to ?? (isOffline ? "ws://127.0.0.1" : nil) else {
            throw Failure(.usage, "name the server with --to, such as --to wss://api.simperium.com")
        }
        guard let target = SimperiumTarget(url: url) else {
            throw Failure(.usage, "\(url) is not a URL with ws, wss, http or https")
        }
        if isOffline, state == nil {
            throw Failure(.usage, "--offline needs --state: what is not sent must be kept")
        }
        var settings = SimperiumClient.Settings(target: target, app: app, buckets: bucket)
        settings.folder = state
        settings.isSockJS = sockjs
        settings.trustFile = ca ?? Self.environment("SSL_CERT_FILE")
        settings.pagesHoldData = !noData
        settings.pageSize = pageSize
        settings.patience = min(wait, 60_000_000_000)
        if !isOffline { try identify(&settings) }
        return SimperiumClient(settings)
    }

    /// The identity of the client: a token, or how to get one.
    private func identify(_ settings: inout SimperiumClient.Settings) throws {
        guard let user else {
            guard let token = token ?? Self.environment("TAPEDECK_TOKEN") else {
                throw Failure(.usage, "give --token or --user")
            }
            settings.token = token
            return
        }
        guard let password = Self.environment("TAPEDECK_PASSWORD") else {
            throw Failure(.usage, "set TAPEDECK_PASSWORD to the password of \(user)")
        }
        let (target, app, key) = (settings.target, settings.app, apiKey)
        let trustFile = settings.trustFile
        settings.authorize = {
            do throws(SimperiumAuthorization.Failure) {
                return .success(
                    try await SimperiumAuthorization.token(
                        target: target, app: app, user: user, password: password, apiKey: key,
                        trustFile: trustFile))
            } catch { return .failure(error) }
        }
    }

    private static func environment(_ name: String) -> String? {
        let value = ProcessInfo.processInfo.environment[name] ?? ""
        return value.isEmpty ? nil : value
    }

    /// Runs a driver to its end, and turns its outcome into an exit status.
    func run(_ client: SimperiumClient, _ driver: some SimperiumDriver) async throws {
        let isHeard = verbose || StandardError.isTerminal
        StopSignal().whenStopped { client.stop() }
        let outcome: SimperiumOutcome
        do throws(SimperiumClientError) {
            outcome = try await client.run(driver) {
                StandardOutput.write($0 + "\n")
            } say: { line in
                if isHeard { StandardError.write("tapedeck: \(line)\n") }
            }
        } catch {
            switch error {
            case .busy: throw Failure(.temporary, error.reason)
            case .wrongState: throw Failure(.data, error.reason)
            case .trust: throw Failure(.noInput, error.reason)
            case .storage: throw Failure(.io, error.reason)
            }
        }
        switch outcome {
        case .done: break
        case .failed(let reason): throw Failure(.failed, reason)
        case .later(let reason): throw Failure(.temporary, place(reason))
        case .refused(let reason): throw Failure(.data, place(reason))
        case .unreachable(let reason): throw Failure(.unavailable, place(reason))
        }
    }

    /// Appends where edits are kept, or that they are not.
    private func place(_ reason: String) -> String {
        guard reason.hasSuffix("kept") else { return reason }
        return reason + (state.map { " in \($0)" } ?? " nowhere: give --state")
    }
}
