internal import Certification
package import Diagnosis
internal import Foundation
internal import Notation
internal import Redaction
internal import Replaying
internal import Sessions
internal import Simperium
internal import Trace
internal import Wire

/// Why no reproduction could be made.
package struct ReproductionError: Error, Hashable, Sendable {
    /// What is wrong and what to do, in one line.
    package let reason: String
}

/// Makes a reproduction of a finding, or of a duty that could not be decided: the shortest recording
/// that shows it, redacted, with the steps that led to it.
package struct Reproducer {
    /// What was made.
    package struct Outcome: Sendable {
        /// What a client is tested with.
        package var reproduction: Reproduction
        /// Units of the recording that stay and those that there were, by kind.
        package var counts: [(kind: String, left: Int, of: Int)]
        /// The number of runs of the diagnosis.
        package var checks: Int
        /// Secrets that were replaced.
        package var secrets: Int
        /// What the client sent and no step explains.
        package var unexplained: Int
    }

    /// The trace.
    package let source: String
    /// The finding; of a duty the one there would be had its time been up.
    package let finding: Finding
    /// Whether it is a duty that could not be decided.
    private let isDuty: Bool
    /// The folder that is filled; it exists and is empty.
    package let folder: String
    /// Seconds after which each duty counts as not done; nil for the deadlines of the rules.
    package let patienceSeconds: Double?
    private let fingerprint: String
    private let ordinal: Int

    /// A reproduction of the finding or duty with a number.
    ///
    /// - Parameters:
    ///   - number: The number, as the diagnosis prints it.
    ///   - source: The trace.
    ///   - folder: The folder that is filled.
    ///   - patienceSeconds: Seconds after which each duty counts as not done.
    /// - Throws: ``ReproductionError`` where there is no such finding, ``SessionError``.
    package init(
        _ number: FindingNumber, of source: String, in folder: String, patienceSeconds: Double?
    ) throws {
        let diagnosis = try Self.diagnose(source, patienceSeconds, session: number.session)
        isDuty = number.kind == .undecided
        let all = Self.candidates(diagnosis, isDuty: isDuty)
        guard let finding = all.first(where: { $0.number == number }) else {
            let count = all.count
            throw ReproductionError(
                reason: count == 0
                    ? "there is no \(isDuty ? "undecided item" : "finding") in \(source)"
                    : "there is no \(number.words) in \(source); `tapedeck diagnose` lists "
                        + "\(count == 1 ? "the 1 there is" : "the \(count) there are")")
        }
        guard finding.rule.blames == .client else {
            throw ReproductionError(
                reason: "\(number) is about the server; a client is tested with a reproduction")
        }
        self.source = source
        self.folder = folder
        self.finding = finding
        self.patienceSeconds = patienceSeconds
        let fingerprint = FindingBaseline.fingerprint(finding)
        self.fingerprint = fingerprint
        let alike = all.filter {
            $0.rule.id == finding.rule.id && FindingBaseline.fingerprint($0) == fingerprint
        }
        ordinal = (alike.firstIndex { $0.number == number } ?? 0) + 1
    }

    /// The findings, or the duties that could not be decided as such.
    private static func candidates(_ diagnosis: TraceDiagnosis, isDuty: Bool) -> [Finding] {
        diagnosis.sessions.flatMap { isDuty ? $0.undecided.map(\.finding) : $0.findings }
    }

    private static func diagnose(
        _ path: String, _ patienceSeconds: Double?, session: SessionID? = nil
    ) throws(SessionError) -> TraceDiagnosis {
        try TraceDiagnosis.diagnose(
            trace: path, session: session,
            patienceNanoseconds: patienceSeconds.map { Int64($0 * 1e9) })
    }

    /// The finding as the trace at `path` shows it.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - isRedacted: Whether its words may have been replaced, so that one of another fingerprint
    ///     will do.
    /// - Returns: The finding; nil where the trace does not show it.
    private func shows(_ path: String, isRedacted: Bool = false) -> Finding? {
        guard let diagnosis = try? Self.diagnose(path, patienceSeconds) else { return nil }
        let all = Self.candidates(diagnosis, isDuty: isDuty)
            .filter { $0.rule.id == finding.rule.id }
        return all.first { FindingBaseline.fingerprint($0) == fingerprint }
            ?? (isRedacted ? all.first : nil)
    }

    /// Shortens and redacts the recording.
    ///
    /// - Parameters:
    ///   - work: A private folder for candidates.
    ///   - maximumChecks: The maximum number of diagnoses.
    ///   - progress: Receives the progress; returns whether to go on.
    /// - Returns: What was made, with the breach itself as a step of the person.
    /// - Throws: ``ReproductionError``, ``MinimizationError``, ``FileError``, ``SessionError``,
    ///   ``TraceError``.
    package func shorten(
        in work: String, maximumChecks: Int, progress: @escaping (String) -> Bool
    ) throws -> Outcome {
        let short = work + "/short.tape"
        var search = try Minimization(
            of: source, in: work, keeping: try openings(), grain: .objects,
            maximumChecks: maximumChecks,
            check: { self.shows($0) == nil ? .status(0) : .status(1) }, progress: progress)
        let minimal = try search.run(to: short)
        let tape = "\(folder)/\(Reproduction.recording)"
        let redacted = try Redaction().write(from: short, to: tape)
        TraceFiles.remove(short)
        guard shows(tape, isRedacted: true) != nil else {
            TraceFiles.remove(tape)
            throw ReproductionError(
                reason: "without its secrets the recording no longer shows \(finding.rule.id)")
        }
        var outcome = try write(leavingBreachOut: false)
        outcome.counts = minimal.counts
        outcome.checks = minimal.checks
        outcome.secrets = redacted.secrets
        return outcome
    }

    /// The connections over which the client signed in and came to have what it had when it broke
    /// the rule: all of its sockets until then.
    private func openings() throws -> Minimization.Kept {
        let session = try RecordedSession(path: source)
        var kept = lastLogin(session)
        for exchange in session.exchanges where exchange.api == "simperium.auth" {
            kept.connections.insert(exchange.connection)
        }
        for command in session.commands where command.name == "init" && command.at <= finding.lastAt
        {
            guard let text = session.text(command.id),
                case .initialize(let request) = SimperiumCommand.parse(text, from: .client).body,
                request.clientID == finding.client
            else { continue }
            kept.connections.insert(command.socket)
        }
        return kept
    }

    /// What a device requested since it restored everything last.
    private func lastLogin(_ session: RecordedSession) -> Minimization.Kept {
        guard finding.steps.contains(where: { $0.exchange != nil }) else { return .init() }
        let first = finding.steps.first?.at ?? finding.at
        var kept = Minimization.Kept()
        for exchange in session.exchanges
        where exchange.startedAt <= finding.lastAt && exchange.api.hasPrefix("commcare.") {
            let isFull = exchange.query.map { !$0.contains("since=") } ?? true
            if exchange.api == "commcare.restore", exchange.status == 200, isFull,
                exchange.startedAt < first
            {
                kept = .init()
            }
            kept.connections.insert(exchange.connection)
            kept.exchanges.insert(exchange.id)
        }
        return kept
    }

    /// Demands no more than what the built-in client does, which keeps the rule: how many messages an
    /// edit takes is each client's own choice, and what the recorded server made of an object need
    /// not be what the steps ask for.
    ///
    /// - Parameters:
    ///   - reproduction: The reproduction.
    ///   - result: What became of the built-in client.
    /// - Returns: Whether it has reached all that is demanded now.
    package static func relax(_ reproduction: inout Reproduction, to result: RetestResult) -> Bool {
        guard result.verdict == .notReached || result.verdict == .endDiffers,
            result.missing.allSatisfy({ $0.trigger.isOfClient && $0.seen > 0 })
        else { return false }
        for difference in result.differences {
            reproduction.objects[difference.key] = nil
            reproduction.forms.removeAll { $0 == difference.key }
        }
        for missing in result.missing {
            guard let place = reproduction.triggers.firstIndex(of: missing.trigger) else {
                continue
            }
            reproduction.triggers[place].count = missing.seen
        }
        return result.undecided.isEmpty
    }

    /// Writes all files but the recording, which is there.
    ///
    /// - Parameter leavesBreachOut: Whether the breach itself is no step of the person.
    /// - Returns: What was made.
    /// - Throws: ``ReproductionError``, ``FileError``, ``SessionError``, ``TraceError``.
    package func write(leavingBreachOut leavesBreachOut: Bool) throws -> Outcome {
        let tape = "\(folder)/\(Reproduction.recording)"
        guard let finding = shows(tape, isRedacted: true) else {
            throw ReproductionError(reason: "\(tape) does not show \(self.finding.rule.id)")
        }
        let session = try RecordedSession(path: tape)
        let reader = try TraceReader(path: tape)
        let end = try end(of: finding, reader)
        let script = RecordedScript(
            session, leadingTo: finding, leavesBreachOut: leavesBreachOut, end: end)
        let limit = min(
            900, max(30, 2 * Double(end.nanoseconds - start(session).nanoseconds) / 1e9 + 20))
        let reproduction = Reproduction(
            rule: finding.rule.id, fingerprint: fingerprint, ordinal: ordinal,
            detail: finding.detail, expected: finding.expected, suite: script.suite,
            app: script.app, bucket: script.bucket, user: script.user,
            triggers: try Trigger.all(of: finding, in: reader),
            objects: ExpectedObjects.all(after: script.steps),
            forms: script.steps.compactMap { step in
                if case .submit(let form, _, _) = step { form } else { nil }
            }, limitSeconds: limit.rounded(.up), patienceSeconds: patienceSeconds)
        for file in script.files { try put(Data(file.content), file.name) }
        let lines = script.steps.map { $0.json(bucket: script.bucket, folder: ".") + "\n" }
        try put(Data(lines.joined().utf8), Reproduction.script)
        let faults = try FaultLines.all(of: reader)
        if !faults.isEmpty {
            try put(Data(faults.map { $0 + "\n" }.joined().utf8), Reproduction.plan)
        }
        try write(reproduction, hasFaults: !faults.isEmpty)
        return Outcome(
            reproduction: reproduction, counts: [], checks: 0, secrets: 0,
            unexplained: script.unexplained)
    }

    /// Writes what a client is tested with, and the page about it.
    package func write(_ reproduction: Reproduction, hasFaults: Bool? = nil) throws {
        try put(Data((reproduction.json.text() + "\n").utf8), Reproduction.file)
        let plan = "\(folder)/\(Reproduction.plan)"
        let page = reproduction.page(
            hasFaults: hasFaults ?? FileManager.default.fileExists(atPath: plan))
        try put(Data(page.utf8), Reproduction.readme)
    }

    private func put(_ data: Data, _ name: String) throws {
        let path = "\(folder)/\(name)"
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard
            FileManager.default.createFile(
                atPath: path, contents: data, attributes: [.posixPermissions: 0o600])
        else { throw ReproductionError(reason: "\(path) cannot be written") }
    }

    private func start(_ session: RecordedSession) -> Instant {
        let first = session.exchanges.first?.startedAt ?? .zero
        return session.commands.first.map { min($0.at, first) } ?? first
    }

    /// When the recording has shown the finding: the session goes on until a duty's time is up.
    private func end(of finding: Finding, _ reader: TraceReader) throws(TraceError) -> Instant {
        let over = try reader.sessions().compactMap(\.endedAt).max() ?? finding.lastAt
        let seconds = patienceSeconds.map { Int64($0 * 1e9) }
        let wait = seconds ?? finding.rule.deadlineNanoseconds ?? 0
        let due = finding.lastAt.nanoseconds + wait + 2_000_000_000
        return Instant(nanoseconds: min(max(over.nanoseconds, finding.lastAt.nanoseconds), due))
    }
}
