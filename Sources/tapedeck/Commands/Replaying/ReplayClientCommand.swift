import ArgumentParser
import Foundation
import Notation
import Replaying
import Sessions
import SyncClients
import Wire

/// `tapedeck replay client`.
struct ReplayClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Play the client of a recorded session to a live server.",
        discussion: """
            Logs in anew, sends the same requests, submissions, edits and WebSocket messages with \
            new identifiers, waits for what the recorded client waited for, and compares the \
            answers by meaning. Exits with status 1 if they differ, also where the client bridged \
            it (a 503 after which it sent again), and 69 if the server is \
            unreachable.

            Example: tapedeck replay client app.tape --to http://127.0.0.1:8000
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @OptionGroup var place: ReplayClientTarget

    @Option(
        help: ArgumentHelp(
            "Replay recorded pauses N times as fast; 1 is as recorded (default: no pauses).",
            valueName: "n"))
    var speed: Double?

    @Option(
        help: ArgumentHelp("Play N clients at once, with distinct identities.", valueName: "n"))
    var clients = 1

    @Option(
        help: ArgumentHelp(
            "Begin at most this many requests, sockets, commands and messages per second, of all clients together.",
            valueName: "n"))
    var rate: Double?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Stop after this time, such as 30s or 5m.", valueName: "time"))
    var bound: TimeSpan?

    @Flag(help: "Send exactly the recorded bytes and identifiers.")
    var verbatim = false

    @Option(
        help: ArgumentHelp(
            "Ignore this when comparing: json:/PATH, xml:/PATH, header:NAME, query:NAME or /PATH; may be repeated.",
            valueName: "rule"))
    var ignore: [String] = []

    @Option(
        help: ArgumentHelp(
            "Random seed of all generated identifiers (default: a new one in each run).",
            valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Seconds without any traffic after which an awaited answer is reported missing.",
            valueName: "seconds"))
    var patience = 10.0

    @Flag(
        help: ArgumentHelp(
            "Allow differences that the client bridged: it waited, asked again, restored, or passed over what came twice."
        ))
    var allowBridged = false

    @Flag(help: "Print the report as a JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the report as JUnit XML to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var junit: String?

    mutating func validate() throws {
        func require(_ isWell: Bool, _ text: String) throws {
            if !isWell { throw ValidationError(text) }
        }
        try require(!(json && junit == "-"), "--json and --junit - exclude each other")
        try require(
            speed.map { $0 > 0 && $0.isFinite } ?? true,
            "--speed is above 0; leave it out to play without pauses")
        try require(1...100_000 ~= clients, "--clients is 1 to 100000")
        try require(rate.map { $0 > 0 && $0.isFinite } ?? true, "--rate is above 0")
        try require(patience > 0 && patience < 1e6, "--patience is more than 0 seconds")
    }

    func run() async throws {
        var target = try place.target(rules: rules())
        target.pace = speed.map { .times($0) } ?? .asFastAsPossible
        target.clients = clients
        target.isVerbatim = verbatim
        target.patience = Int64(patience * 1e9)
        target.seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        let recording = try RecordedSession.opened(trace)
        let (session, exchanges) = recording.clientPart(isVerbatim: verbatim)
        guard !session.parts.isEmpty else {
            throw Failure(
                .data, "\(trace) has no HTTP exchange and no WebSocket to play")
        }
        for host in recording.exchanges.hostNames where target.server(for: host) == nil {
            throw Failure(
                .usage, "no server is given for \(host): add --to \(host)=URL, or --to URL")
        }
        if recording.otherUpgrades > 0 {
            StandardError.write(
                "tapedeck: \(recording.otherUpgrades) connections are not played: they were "
                    + "upgraded to something other than a WebSocket\n")
        }
        let load = ReplayLoad(
            session, to: target, rate: rate, bound: bound?.nanoseconds,
            makePlayer: try recording.clientPlayers(exchanges, to: target))
        let start = ContinuousClock.now
        let end = await play(load)
        var report = load.tally.report
        // Whoever stops it knows that it did not get far.
        if end == .stopped { report.isIdle = false }
        let text = ReplayClientText(
            end: end, figures: load.tally.figures, report: report,
            seconds: Double(ReplayClientText.nanoseconds(ContinuousClock.now - start)) / 1e9,
            seed: target.seed, allowsBridged: allowBridged)
        try tell(text)
    }

    /// Plays it to its end, or to a signal, with a progress line.
    private func play(_ load: ReplayLoad) async -> ReplayLoad.End {
        StopSignal().whenStopped { load.stop() }
        let clients = clients
        let progress = Task {
            var line = ProgressBar()
            let start = ContinuousClock.now
            while !Task.isCancelled {
                let figures = load.tally.figures
                let share = figures.share
                // Clients that have not started yet are counted too.
                let all = share.of / max(1, figures.clients) * clients
                line.show(
                    done: share.done, of: all,
                    ReplayClientText.line(
                        figures, of: clients,
                        nanoseconds: ReplayClientText.nanoseconds(ContinuousClock.now - start)))
                do { try await Task.sleep(for: .milliseconds(100)) } catch { break }
            }
            line.clear()
        }
        let end = await load.run()
        progress.cancel()
        await progress.value
        return end
    }

    private func rules() throws(Failure) -> [IgnoreRule] {
        var rules: [IgnoreRule] = []
        for text in ignore {
            do {
                rules.append(try IgnoreRule(parsing: text))
            } catch {
                throw Failure(.usage, "--ignore \(error)")
            }
        }
        return rules
    }

    /// Writes the report to the chosen outputs and sets the exit status.
    private func tell(_ text: ReplayClientText) throws(Failure) {
        if let junit {
            let report = text.report.junit(
                allowsUnused: text.allowsUnused, allowsBridged: allowBridged,
                properties: [("seed", "\(text.seed)")] + ignore.map { ("ignore", $0) })
            try JUnitFile.write(report, to: junit)
        }
        if json {
            StandardOutput.write(text.json.text() + "\n")
        } else if junit != "-" {
            StandardOutput.write(text.text)
        }
        if case .unreachable(let reason) = text.end {
            throw Failure(.unavailable, "\(reason); check --to")
        }
        guard
            !text.report.isSatisfied(
                allowsUnused: text.allowsUnused, allowsBridged: allowBridged)
        else { return }
        if let nothing = text.report.nothing {
            throw Failure(.failed, "\(nothing) of \(trace)")
        }
        let missed = text.report.sections.reduce(0) { $0 + $1.missed }
        let bridged = text.report.bridged
        guard missed == 0, bridged > 0, !allowBridged else {
            throw Failure(.failed, "\(missed) differ from \(trace)")
        }
        throw Failure(
            .failed,
            "the client bridged \(Summary.count(Int64(bridged), "difference")) from \(trace); --allow-bridged accepts that"
        )
    }
}
