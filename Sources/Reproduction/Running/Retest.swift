package import Certification
internal import Diagnosis
internal import Faults
internal import Foundation
internal import Replaying
internal import Sessions
internal import SyncServers
internal import Trace
internal import Wire

/// Tests a client with a reproduction: against the replayed server of its recording, with what the
/// recording does not have answered from the state that it implies.
package struct Retest: Sendable {
    /// Starts the client under test, whose output goes to a file.
    package typealias Start =
        @Sendable (_ environment: [String: String], _ log: String)
        async throws(CertificationError) -> any TestedClient

    /// The folder of the reproduction.
    package var folder: String
    /// What it says.
    package var reproduction: Reproduction
    /// Where the trace and the output of the client go; a folder that exists.
    package var output: String
    /// The parts that it uses.
    package var parts: Bench.Parts
    /// Seconds after which each duty counts as not done; nil for what the reproduction says.
    package var patienceSeconds: Double?

    /// The longest time that the server keeps its client waiting as recorded.
    static let longestNanoseconds: Int64 = 300_000_000_000

    /// A test of a client.
    package init(
        _ reproduction: Reproduction, in folder: String, output: String, parts: Bench.Parts,
        patienceSeconds: Double? = nil
    ) {
        self.reproduction = reproduction
        self.folder = folder
        self.output = output
        self.parts = parts
        self.patienceSeconds = patienceSeconds
    }

    /// Plays it.
    ///
    /// - Parameters:
    ///   - start: Starts the client.
    ///   - progress: Receives the seconds that have passed.
    /// - Returns: What became of it.
    /// - Throws: ``CertificationError`` where it cannot be played.
    package func run(
        _ start: Start, progress: (Double) -> Void = { _ in }
    ) async throws(CertificationError) -> RetestResult {
        let began = ContinuousClock.now
        let trace = "\(output)/session.tape"
        try writeScript()
        let server = try await server()
        var ending: String
        let end: Instant
        do throws(CertificationError) {
            let recording = try await RecordingProxy.start(
                before: server.host, server.port, plan: FaultPlan(), trace: trace, parts)
            do throws(CertificationError) {
                let client = try await start(environment(recording.port), "\(output)/client.log")
                ending = await watch(client, since: began, progress)
            } catch {
                _ = await recording.close()
                recording.finish("the client could not be started")
                throw error
            }
            end = await recording.close()
            recording.finish("the test was over")
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        return try result(trace, ending, end, Self.seconds(since: began))
    }

    private func server() async throws(CertificationError) -> ReplayServer {
        do {
            let session = try RecordedSession(path: "\(folder)/\(Reproduction.recording)")
            return try await ReplayServer.start(
                try ReplaySource(session), host: "127.0.0.1", port: 0,
                options: ReplayServer.Options(
                    mode: .model, pace: .recorded(maximumNanoseconds: Self.longestNanoseconds),
                    seed: 1,
                    // A client that keeps the rule need not be alike in these.
                    ignored: [
                        .header("x-commcarehq-lastsynctoken"), .header("x-openrosa-version"),
                    ]))
        } catch let error as TraceError {
            throw CertificationError(error.reason)
        } catch let error as SyncServerError {
            throw CertificationError(error.reason)
        } catch { throw CertificationError("\(error)") }
    }

    private func environment(_ port: Int) -> [String: String] {
        var random = SystemRandomNumberGenerator()
        let identity = Identity.new(&random)
        var all = identity.environment(
            reproduction.suite, app: reproduction.app, host: parts.host, port: port)
        if !reproduction.bucket.isEmpty { all["TAPEDECK_BUCKET"] = reproduction.bucket }
        if !reproduction.user.isEmpty { all["TAPEDECK_USER"] = reproduction.user }
        all["TAPEDECK_CASE"] = reproduction.rule
        all["TAPEDECK_SCRIPT"] = script
        return all
    }

    private var script: String { "\(output)/\(Reproduction.script)" }

    /// Writes the steps with the paths of their files.
    private func writeScript() throws(CertificationError) {
        let path = "\(folder)/\(Reproduction.script)"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CertificationError("\(path) cannot be read")
        }
        var text = ""
        for (number, line) in String(decoding: data, as: UTF8.self).split(separator: "\n")
            .enumerated()
        {
            guard let step = Step(json: String(line)) else {
                throw CertificationError("\(path), line \(number + 1) is not a step")
            }
            text += step.json(bucket: reproduction.bucket, folder: folder) + "\n"
        }
        guard FileManager.default.createFile(atPath: script, contents: Data(text.utf8)) else {
            throw CertificationError("\(script) cannot be written")
        }
    }

    /// Waits until the client has ended, or its time is up.
    private func watch(
        _ client: any TestedClient, since start: ContinuousClock.Instant,
        _ progress: (Double) -> Void
    ) async -> String {
        while true {
            if let ending = client.ending() { return ending }
            let seconds = Self.seconds(since: start)
            if Task.isCancelled || seconds > reproduction.limitSeconds {
                return await client.stop()
            }
            progress(seconds)
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private func result(
        _ trace: String, _ ending: String, _ end: Instant, _ seconds: Double
    ) throws(CertificationError) -> RetestResult {
        let patience = patienceSeconds ?? reproduction.patienceSeconds
        do {
            let diagnosis = try TraceDiagnosis.diagnose(
                trace: trace, patienceNanoseconds: patience.map { Int64($0 * 1e9) })
            let findings = diagnosis.sessions.flatMap(\.findings)
            let reader = try ExpectedEventReader(path: trace)
            var missing: [RetestResult.Missing] = []
            for trigger in reproduction.triggers {
                let seen = try reader.seen(trigger.event, now: end)
                guard !seen.isThere else { continue }
                missing.append(RetestResult.Missing(trigger: trigger, seen: seen.count))
            }
            let anything = ExpectedEvent.lines("*", "anything")
            return RetestResult(
                reproduction: reproduction,
                findings: findings.filter { $0.rule.id == reproduction.rule },
                otherRules: Set(
                    findings.filter { $0.rule.blames == .client }.map(\.rule.id)
                ).subtracting([reproduction.rule]).sorted(),
                missing: missing,
                undecided: diagnosis.sessions.flatMap(\.undecided).filter {
                    $0.rule.id == reproduction.rule
                }.map(\.detail),
                differences: try ExpectedObjects.differences(from: reproduction, in: trace)
                    + ExpectedForms.differences(from: reproduction, in: folder, trace),
                hasTraffic: try reader.seen(anything, now: end).isThere,
                ending: ending, seconds: seconds, trace: trace)
        } catch let error as SessionError {
            throw CertificationError(error.reason)
        } catch let error as TraceError {
            throw CertificationError(error.reason)
        } catch { throw CertificationError("\(error)") }
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        let parts = (ContinuousClock.now - start).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
