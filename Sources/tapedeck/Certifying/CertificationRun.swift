import Certification
import Diagnosis
import Foundation
import Interception
import Notation
import Platform
import Synchronization
import Wire

/// Carries out `tapedeck certify`.
struct CertificationRun {
    private let suite: Suite
    private let options: CertifyOptions

    /// A run of the suite of this name, or of the selected part.
    init(_ name: Suite.Name, _ options: CertifyOptions) throws(Failure) {
        let (all, unknown) = Suite(name).chosen(options.cases)
        let (suite, unknownToo) = all.without(options.skip)
        if let first = unknown.first ?? unknownToo.first {
            throw Failure(
                .usage,
                "there is no case or scenario \(first); tapedeck certify \(name.rawValue) --list shows all"
            )
        }
        self.suite = suite
        self.options = options
    }

    /// Plays the scenarios and writes the report.
    func run() async throws {
        guard !options.list else { return StandardOutput.write(CertifyList.text(suite)) }
        // The proxies report from their event loops.
        StandardError.detach()
        if let program = options.command.first, ClientProcess.path(of: program) == nil {
            throw Failure(.usage, "there is no program \(program); check the name after --")
        }
        let means = try means()
        let certifier = Certifier(
            suite, means, slowness: options.slowness ?? (options.isDevice ? 10 : 1),
            isDevice: options.isDevice)
        let start = ContinuousClock.now
        let signal = StopSignal()
        let playing = Task { await certifier.play(jobs: options.atOnce) }
        signal.whenStopped { playing.cancel() }
        let played = await playing.value
        try tell(
            CertificationReport(
                suite, played, client: client, date: Date.now.formatted(.iso8601),
                version: Program.version,
                seconds: Double(ReplayClientText.nanoseconds(ContinuousClock.now - start)) / 1e9,
                isStrict: options.strict))
    }

    /// Name of the client under test.
    private var client: String {
        if options.builtin { return "the client of tapedeck \(Program.version)" }
        return options.isDevice ? "a device" : options.command.joined(separator: " ")
    }

    private func means() throws(Failure) -> Certifier.Means {
        let parts = try Bench.Parts(
            options.authority, host: options.listen.host, port: options.listen.port)
        let folders = CaseFolders(root: options.output ?? "certify-\(suite.name.rawValue)")
        let suite = suite
        let isDevice = options.isDevice
        let patience = options.patience
        let command =
            options.builtin
            ? [CertificationRun.ownPath, "certify", "drive"] : options.command
        let progress = CertificationProgress(
            scenarios: suite.scenarios.count, isDevice: options.isDevice,
            isStrict: options.strict)
        return Certifier.Means(
            parts: parts,
            makeFolder: { scenario throws(CertificationError) in try folders.make(scenario) },
            start: { _, folder, environment throws(CertificationError) in
                if command.isEmpty { return DeviceClient() }
                return try ClientProcess(
                    command, environment: environment, log: "\(folder)/client.log")
            },
            identity: {
                guard !isDevice else { return .typed }
                var random = SystemRandomNumberGenerator()
                return .new(&random)
            },
            act: { steps, place throws(CertificationError) in
                try await SecondClient.act(steps, suite: suite, at: place)
            },
            look: { keys, place throws(CertificationError) in
                try await SecondClient.look(keys, suite: suite, at: place)
            },
            diagnose: { trace throws(CertificationError) in
                try TraceFindings.read(trace, patience: patience)
            },
            tell: { progress.show($0) })
    }

    /// The program that runs.
    private static var ownPath: String { Processes.ownPath ?? CommandLine.arguments[0] }

    /// Writes the report to the chosen outputs and sets the exit status.
    private func tell(_ report: CertificationReport) throws(Failure) {
        if let json = options.json {
            try JUnitFile.write(report.json.text() + "\n", to: json)
        }
        if let html = options.html {
            let folder = URL(fileURLWithPath: html).deletingLastPathComponent().path + "/"
            try JUnitFile.write(
                report.html { $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : $0 },
                to: html)
        }
        if let junit = options.junit { try JUnitFile.write(report.junit, to: junit) }
        if options.json != "-", options.junit != "-" {
            StandardOutput.write(report.text(hasColour: StandardOutput.hasColour))
        }
        guard report.hasClient else {
            throw Failure(
                .unavailable,
                "the client never connected; it has to connect to TAPEDECK_URL, see client.log in the scenario folders"
            )
        }
        guard report.isPassed else {
            throw Failure(.failed, "the client did not pass: \(report.summary)")
        }
        let missing = report.results(.notExercised).count
        guard missing == 0 || !options.failOn.contains(.notExercised) else {
            throw Failure(
                .failed,
                "\(missing) case\(missing == 1 ? " was" : "s were") not exercised, and --fail-on not-exercised was given"
            )
        }
    }
}
