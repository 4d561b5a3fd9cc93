public import Diagnosis
internal import Trace
internal import Wire

/// Runs the scenarios of a suite against a client.
public struct Certifier: Sendable {
    /// The functions that it calls.
    public struct Means: Sendable {
        /// The parts that benches use.
        public var parts: Bench.Parts
        /// Returns the folder of a scenario, empty but for the files of the script.
        public var makeFolder: @Sendable (Scenario) throws(CertificationError) -> String
        /// Starts the client under test; returns nil where an operator does.
        public var start:
            @Sendable (_ scenario: Scenario, _ folder: String, _ environment: [String: String])
                async throws(CertificationError) -> any TestedClient
        /// Runs steps of the second client against the server on this port.
        public var act:
            @Sendable (_ steps: [Step], _ folder: String, _ port: Int)
                async throws(CertificationError) -> Void
        /// Reads a trace and returns the rules that were broken in it.
        public var diagnose: @Sendable (_ trace: String) throws(CertificationError) -> [Finding]
        /// Called when a scenario begins, and when it is over.
        public var tell: @Sendable (Progress) -> Void

        /// Means.
        public init(
            parts: Bench.Parts,
            makeFolder: @escaping @Sendable (Scenario) throws(CertificationError) -> String,
            start:
                @escaping @Sendable (_ scenario: Scenario, _ folder: String, [String: String])
                async throws(CertificationError) -> any TestedClient,
            act:
                @escaping @Sendable (_ steps: [Step], _ folder: String, _ port: Int)
                async throws(CertificationError) -> Void,
            diagnose:
                @escaping @Sendable (_ trace: String) throws(CertificationError) ->
                [Finding],
            tell: @escaping @Sendable (Progress) -> Void
        ) {
            self.parts = parts
            self.makeFolder = makeFolder
            self.start = start
            self.act = act
            self.diagnose = diagnose
            self.tell = tell
        }
    }

    /// Its progress.
    public enum Progress: Sendable {
        /// A scenario begins; the client receives this environment.
        case began(Scenario, environment: [String: String])
        /// A scenario is over.
        case ended(Played)
    }

    private let suite: Suite
    private let means: Means
    /// The factor for the time limits of scenarios.
    private let slowness: Double
    /// Whether a scenario ends when all expected events were seen, since the client does not end.
    private let endsWhenSeen: Bool

    /// Seconds without anything new after which a client that does not end is done.
    static let quiet = 3.0

    /// A certifier of a suite.
    ///
    /// - Parameters:
    ///   - suite: The suite, or a part of it.
    ///   - means: The functions that it calls.
    ///   - slowness: The factor for the time limits.
    ///   - endsWhenSeen: Whether a scenario ends when all expected events were seen.
    public init(_ suite: Suite, _ means: Means, slowness: Double, endsWhenSeen: Bool) {
        self.suite = suite
        self.means = means
        self.slowness = slowness
        self.endsWhenSeen = endsWhenSeen
    }

    /// Plays all scenarios.
    ///
    /// - Parameter jobs: The number at a time, at least 1.
    /// - Returns: Their outcomes, in order; those that were not begun when the task was
    ///   cancelled are left out.
    public func play(jobs: Int) async -> [Played] {
        await withTaskGroup(of: (Int, Played).self) { group in
            var next = 0
            var all: [Int: Played] = [:]
            func begin() {
                guard next < suite.scenarios.count, !Task.isCancelled else { return }
                let (index, scenario) = (next, suite.scenarios[next])
                next += 1
                group.addTask { (index, await play(scenario)) }
            }
            for _ in 0..<max(1, jobs) { begin() }
            while let (index, played) = await group.next() {
                all[index] = played
                means.tell(.ended(played))
                begin()
            }
            return all.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Plays one scenario.
    func play(_ scenario: Scenario) async -> Played {
        let start = ContinuousClock.now
        var trace = ""
        do throws(CertificationError) {
            let folder = try means.makeFolder(scenario)
            trace = "\(folder)/session.tape"
            let bench = try await Bench.start(scenario, of: suite.name, trace: trace, means.parts) {
                port throws(CertificationError) in
                if !scenario.seed.isEmpty { try await means.act(scenario.seed, folder, port) }
            }
            return await play(scenario, bench, folder, since: start)
        } catch {
            return Played(
                scenario, trace: trace, seconds: Self.seconds(since: start), seen: [:],
                findings: [], ending: "", hasTraffic: false, problem: error.reason)
        }
    }

    private func play(
        _ scenario: Scenario, _ bench: Bench, _ folder: String, since start: ContinuousClock.Instant
    ) async -> Played {
        var environment = Identity.environment(
            suite.name, app: suite.app, host: means.parts.host, port: bench.port)
        environment["TAPEDECK_CASE"] = scenario.id
        environment["TAPEDECK_SCRIPT"] = "\(folder)/script.jsonl"
        var ending = ""
        var problem: String?
        do throws(CertificationError) {
            means.tell(.began(scenario, environment: environment))
            let client = try await means.start(scenario, folder, environment)
            do throws(CertificationError) {
                ending = try await watch(client, scenario, bench, folder)
            } catch {
                _ = await client.stop()
                throw error
            }
        } catch { problem = error.reason }
        let end = await bench.stop()
        var seen: [String: [Played.Seen]] = [:]
        var findings: [Finding] = []
        var hasTraffic = false
        do {
            let reader = try ExpectedEventReader(path: bench.trace)
            seen = try reader.seen(in: scenario, now: end)
            hasTraffic = try reader.seen(.lines("*", "anything"), now: end).isThere
            findings = try means.diagnose(bench.trace).filter { $0.rule.blames == .client }
        } catch let error as TraceError {
            problem = problem ?? error.reason
        } catch let error as CertificationError {
            problem = problem ?? error.reason
        } catch { problem = problem ?? "\(error)" }
        return Played(
            scenario, trace: bench.trace, seconds: Self.seconds(since: start), seen: seen,
            findings: findings, ending: ending, hasTraffic: hasTraffic, problem: problem)
    }

    /// Waits for the client, and runs what is to happen meanwhile.
    private func watch(
        _ client: any TestedClient, _ scenario: Scenario, _ bench: Bench, _ folder: String
    ) async throws(CertificationError) -> String {
        let start = ContinuousClock.now
        let endsWhenSeen = endsWhenSeen || scenario.lingers
        var deeds = scenario.deeds[...]
        var quietSince: (now: ContinuousClock.Instant, count: Int)?
        while true {
            if let ending = client.ending() { return ending }
            if Task.isCancelled || Self.seconds(since: start) > scenario.limit * slowness {
                let ending = await client.stop()
                return Task.isCancelled ? "was ended by the user" : ending
            }
            if let deed = deeds.first, try see(deed.when, bench) {
                deeds.removeFirst()
                try await means.act(deed.steps, folder, bench.serverPort)
                continue
            }
            if endsWhenSeen, deeds.isEmpty, let count = try done(scenario, bench) {
                if quietSince?.count != count { quietSince = (.now, count) }
                if let since = quietSince?.now, Self.seconds(since: since) > Self.quiet {
                    _ = await client.stop()
                    return "was ended: all expected events were seen"
                }
            }
            // An operator needs time for a step; a program is answered at once.
            try? await Task.sleep(for: .milliseconds(endsWhenSeen ? 250 : 40))
        }
    }

    private func see(
        _ expectation: ExpectedEvent, _ bench: Bench
    ) throws(CertificationError) -> Bool {
        do throws(TraceError) {
            return try ExpectedEventReader(path: bench.trace).seen(expectation, now: bench.now)
                .isThere
        } catch { throw CertificationError(error.reason) }
    }

    /// The number of rows once all expected events were seen; nil while one is missing.
    private func done(_ scenario: Scenario, _ bench: Bench) throws(CertificationError) -> Int? {
        do throws(TraceError) {
            let reader = try ExpectedEventReader(path: bench.trace)
            let seen = try reader.seen(in: scenario, now: bench.now)
            guard seen.values.allSatisfy({ $0.allSatisfy(\.isThere) }) else { return nil }
            let all = ExpectedEvent.lines("*", "anything")
            return try reader.seen(all, now: bench.now).count
        } catch { throw CertificationError(error.reason) }
    }

    static func seconds(since start: ContinuousClock.Instant) -> Double {
        let parts = (ContinuousClock.now - start).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
