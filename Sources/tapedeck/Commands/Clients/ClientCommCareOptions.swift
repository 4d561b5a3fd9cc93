import ArgumentParser
import Foundation
import HTTPLayer
import SyncClients

/// Options for the server and the user of a CommCare client.
struct ClientCommCareOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server: a URL with http or https.", valueName: "url"))
    var to: String

    @Option(help: ArgumentHelp("The project.", valueName: "name"))
    var domain: String

    @Option(
        help: ArgumentHelp(
            "The user; the password is TAPEDECK_PASSWORD, or prompted for.", valueName: "name"))
    var user: String

    @Option(
        help: ArgumentHelp("Folder that keeps the state of this user.", valueName: "dir"),
        completion: .directory)
    var state: String

    @Option(
        help: ArgumentHelp(
            "File of texts for answers 406, with lines KEY=TEXT; several are read in order.",
            valueName: "file"), completion: .file())
    var locale: [String] = []

    @OptionGroup var way: ClientHTTPOptions

    @Option(
        help: ArgumentHelp(
            "Identifier of the device (default: random); a state of another device counts as a backup.",
            valueName: "id"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Set the clock of the device this many days ahead, as after a long absence.",
            valueName: "n"))
    var daysLater = 0

    @Flag(help: "Start in the background, as after SIGUSR1, until SIGUSR2.")
    var background = false

    @Flag(help: "Behave as run by a timer, not a user: wait for back-off too.")
    var automatic = false

    mutating func validate() throws {
        let letters = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
        if domain.isEmpty || domain.rangeOfCharacter(from: letters.inverted) != nil {
            throw ValidationError(
                "\(domain) is not a valid project: use letters, digits, - _ and . only")
        }
        if !(0...36_500).contains(daysLater) {
            throw ValidationError("--days-later is 0 to 36500")
        }
        let isName = device?.utf8.allSatisfy { 0x21...0x7E ~= $0 } ?? true
        if device?.isEmpty == true || !isName {
            throw ValidationError(
                "--device takes letters, digits and punctuation of ASCII, without spaces")
        }
    }

    /// The identity and behaviour of the client; a demonstration has no credentials.
    func settings(
        _ submission: CommCareSubmission = CommCareSubmission()
    ) throws -> CommCareSession.Settings {
        let given =
            submission.isDemonstration
            ? "" : ProcessInfo.processInfo.environment["TAPEDECK_PASSWORD"]
        guard let password = given ?? Self.ask("password of \(user): ") else {
            throw Failure(.usage, "set TAPEDECK_PASSWORD to the password of \(user)")
        }
        var settings = CommCareSession.Settings(
            url: to, domain: domain, user: user, password: password)
        settings.isUser = !automatic
        settings.submission = submission
        settings.daysLater = daysLater
        for path in locale {
            for line in String(decoding: try Self.content(path), as: UTF8.self)
                .split(whereSeparator: \.isNewline)
            {
                guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
                let key = line[..<equals].trimmingCharacters(in: .whitespaces)
                settings.translations[key] = line[line.index(after: equals)...]
                    .trimmingCharacters(in: .whitespaces)
            }
        }
        return settings
    }

    func open(_ submission: CommCareSubmission = CommCareSubmission()) throws -> CommCareState {
        // What is queued for one kind of server is never sent to the other.
        let kind = submission.isOpenRosa ? ", OpenRosa" : submission.isDemonstration ? ", demo" : ""
        do throws(CommCareClientError) {
            let opened = try CommCareState(
                folder: state, place: "\(user) at \(Self.server(to)), \(domain)\(kind)",
                deviceID: device ?? UUID().uuidString)
            if let device, try opened.fact("device") != device { try opened.move(to: device) }
            return opened
        } catch { throw Self.failure(error) }
    }

    func run(
        _ work: CommCareClient.Work, _ settings: CommCareSession.Settings, _ state: CommCareState
    ) async throws {
        var layer = HTTPSettings()
        way.apply(to: &layer)
        // A redirect would turn a submission into a GET; for restores the session decides itself.
        layer.redirectLimit = 0
        layer.keepsCookies = true
        if Self.tellsPassword(to) {
            StandardError.write(
                "tapedeck: note: \(to) does not use https: anyone on the network path can read the password\n"
            )
        }
        var bar = false
        let manager = HTTPManager(layer)
        manager.isBackgroundTaskEnabled = background
        let lifecycle = ClientLifecycle(of: manager)
        defer { withExtendedLifetime(lifecycle) {} }
        let session = CommCareSession(settings, state: state, manager: manager) { text in
            if bar { StandardError.write("\n") }
            bar = false
            StandardError.write("tapedeck: \(text)\n")
        } progress: { done, total in
            guard StandardError.isTerminal else { return }
            StandardError.write(Self.bar(done, total))
            bar = true
        } askPassword: {
            Self.ask("the server refused the password; another one: ")
        }
        let outcome: CommCareOutcome
        let accepted: Int
        do throws(CommCareClientError) {
            let before = try state.entries().count { $0.state == .sent }
            outcome = try await session.run(work)
            accepted = try state.entries().count { $0.state == .sent } - before
        } catch {
            throw Self.failure(error)
        }
        // What is left of the bar says less than the sentence.
        if bar { StandardError.write("\r\(String(repeating: " ", count: 60))\r") }
        switch outcome {
        case .done:
            let forms = accepted > 0 ? Summary.count(Int64(accepted), "form") + " accepted, " : ""
            let sync = work == .submit ? "" : "synced, "
            StandardError.warn("\(forms)\(sync)\(try Self.holdings(state))")
        case .later(let reason), .unreachable(let reason): throw Failure(.temporary, reason)
        case .refused(let reason): throw Failure(.data, reason)
        }
    }

    /// A server without its port where that is on this machine: it is that of a proxy, which changes.
    private static func server(_ url: String) -> String {
        guard var parts = URLComponents(string: url), let host = parts.host?.lowercased(),
            ["localhost", "[::1]", "::1"].contains(host) || host.hasPrefix("127.")
        else { return url }
        parts.port = nil
        return parts.string ?? url
    }

    /// What the device has: `4 cases, sync token 7, 0 forms waiting`.
    private static func holdings(_ state: CommCareState) throws -> String {
        do throws(CommCareClientError) {
            let waiting = try state.entries().count { $0.state == .queued || $0.state == .held }
            let token = try state.fact("token").map { "sync token \($0)" } ?? "no sync token"
            return [
                Summary.count(Int64(try state.caseIDs().count), "case"), token,
                Summary.count(Int64(waiting), "form") + " waiting",
            ].joined(separator: ", ")
        } catch { throw failure(error) }
    }

    /// Whether a password for this server can be read on the network path.
    static func tellsPassword(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http",
            let host = parts.host?.lowercased()
        else { return false }
        return !["localhost", "[::1]", "::1"].contains(host) && !host.hasPrefix("127.")
    }

    /// A line that overwrites the one before.
    static func bar(_ done: String?, _ total: String?) -> String {
        guard let done = done.flatMap({ Double($0) }), let total = total.flatMap({ Double($0) }),
            total > 0, done.isFinite, done >= 0
        else { return "\r[waiting for the server]" }
        let filled = Int(min(1, done / total) * 30)
        let line =
            String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
        return "\r[\(line)] \(filled * 100 / 30) %  "
    }

    /// Prompts on a terminal without echo; nil where there is none.
    static func ask(_ prompt: String) -> String? {
        guard isatty(0) == 1, let answer = getpass(prompt) else { return nil }
        return String(cString: answer)
    }

    static func content(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(path) cannot be read; check the name")
        }
        return [UInt8](data)
    }

    static func failure(_ error: CommCareClientError) -> Failure {
        switch error {
        case .busy: Failure(.temporary, error.reason)
        case .storage: Failure(.io, error.reason)
        case .wrongState, .badForm: Failure(.data, error.reason)
        }
    }
}
