internal import Diagnosis
internal import SyncServers
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
        /// The identity of the client in a scenario.
        public var identity: @Sendable () -> Identity
        /// Runs steps of the second client against the server on this port.
        public var act:
            @Sendable (_ steps: [Step], _ place: SecondPlace)
                async throws(CertificationError) -> Void
        /// Returns what a second client sees that has nothing yet: of the objects of these keys.
        public var look:
            @Sendable (_ keys: [String], _ place: SecondPlace)
                async throws(CertificationError) -> EndState.View
        /// Reads a trace and returns what its diagnosis says about the client.
        public var diagnose: @Sendable (_ trace: String) throws(CertificationError) -> TraceVerdicts
        /// Called when a scenario begins, and when it is over.
        public var tell: @Sendable (Progress) -> Void

        /// Means.
        public init(
            parts: Bench.Parts,
            makeFolder: @escaping @Sendable (Scenario) throws(CertificationError) -> String,
            start:
                @escaping @Sendable (_ scenario: Scenario, _ folder: String, [String: String])
                async throws(CertificationError) -> any TestedClient,
            identity: @escaping @Sendable () -> Identity,
            act:
                @escaping @Sendable (_ steps: [Step], _ place: SecondPlace)
                async throws(CertificationError) -> Void,
            look:
                @escaping @Sendable (_ keys: [String], _ place: SecondPlace)
                async throws(CertificationError) -> EndState.View,
            diagnose:
                @escaping @Sendable (_ trace: String) throws(CertificationError) ->
                TraceVerdicts,
            tell: @escaping @Sendable (Progress) -> Void
        ) {
            self.parts = parts
            self.makeFolder = makeFolder
            self.start = start
            self.identity = identity
            self.act = act
            self.look = look
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
    /// Whether an operator handles the client: a scenario ends when all expected events were seen,
    /// and the names of objects are those of the device.
    private let isDevice: Bool

    /// Seconds without anything new after which a client that does not end is done.
    static let quiet = 3.0

    /// A certifier of a suite.
    ///
    /// - Parameters:
    ///   - suite: The suite, or a part of it.
    ///   - means: The functions that it calls.
    ///   - slowness: The factor for the time limits.
    ///   - isDevice: Whether an operator handles the client, which does not end.
    public init(_ suite: Suite, _ means: Means, slowness: Double, isDevice: Bool) {
        self.suite = suite
        self.means = means
        self.slowness = slowness
        self.isDevice = isDevice
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
        let identity = means.identity()
        var trace = ""
        do throws(CertificationError) {
            let folder = try means.makeFolder(scenario)
            trace = "\(folder)/session.tape"
            let bench = try await Bench.start(
                scenario, of: suite.name, as: identity, trace: trace, means.parts
            ) { port throws(CertificationError) in
                guard !scenario.seed.isEmpty else { return }
                try await means.act(
                    scenario.seed, SecondPlace(folder: folder, port: port, identity: identity))
            }
            let place = SecondPlace(folder: folder, port: bench.serverPort, identity: identity)
            return await play(scenario, bench, place, since: start)
        } catch {
            return Played(
                scenario, trace: trace, seconds: Self.seconds(since: start), seen: [:],
                ending: "", hasTraffic: false, problem: error.reason)
        }
    }

    private func play(
        _ scenario: Scenario, _ bench: Bench, _ origin: SecondPlace,
        since start: ContinuousClock.Instant
    ) async -> Played {
        var place = origin
        var environment = place.identity.environment(
            suite.name, app: suite.app, host: means.parts.host, port: bench.port)
        environment["TAPEDECK_CASE"] = scenario.id
        environment["TAPEDECK_SCRIPT"] = "\(place.folder)/script.jsonl"
        var ending = Ending.byItself("")
        var problem: String?
        var failures: [Played.Failure] = []
        do throws(CertificationError) {
            means.tell(.began(scenario, environment: environment))
            let client = try await means.start(scenario, place.folder, environment)
            do throws(CertificationError) {
                ending = try await watch(client, scenario, bench, &place, &failures)
            } catch {
                _ = await client.stop()
                throw error
            }
        } catch { problem = error.reason }
        let end = await bench.close()
        if !isDevice, problem == nil {
            do throws(CertificationError) {
                let expected = ExpectedEnd(scenario, isCutShort: ending.isCutShort)
                failures += try await differences(from: expected, scenario, bench, place)
            } catch { problem = error.reason }
        }
        await bench.stop()
        var seen: [String: [Played.Seen]] = [:]
        var verdicts = TraceVerdicts()
        var hasTraffic = false
        do {
            let reader = try ExpectedEventReader(path: bench.trace)
            seen = try reader.seen(in: scenario, now: end)
            hasTraffic = try reader.seen(.lines("*", "anything"), now: end).isThere
            verdicts = try means.diagnose(bench.trace)
            if !isDevice, problem == nil {
                failures =
                    try undone(scenario, ending, reader, at: end) + failures
                    + refusals(scenario, reader, at: end)
                    + verdicts.unrecovered.filter {
                        !scenario.endsRefused && !scenario.final.contains($0.fault)
                    }.map { Played.Failure(.notRecovered, $0.detail) }
            }
        } catch let error as TraceError {
            problem = problem ?? error.reason
        } catch let error as CertificationError {
            problem = problem ?? error.reason
        } catch { problem = problem ?? "\(error)" }
        let asked = scenario.askedBreaches(isEnded: ending.isByBench)
        return Played(
            scenario, trace: bench.trace, seconds: Self.seconds(since: start), seen: seen,
            findings: verdicts.findings.filter {
                $0.rule.blames == .client && !asked.contains($0.rule.id)
            },
            undecided: Set(verdicts.undecided.map(\.rule.id)),
            failures: failures, ending: ending.text, hasTraffic: hasTraffic, problem: problem)
    }

    /// How the server, and what a second client sees, differ from what is expected; `name` says when
    /// that is, and is empty for the end.
    private func differences(
        from expected: ExpectedEnd, _ scenario: Scenario, _ bench: Bench, _ place: SecondPlace,
        at name: String = ""
    ) async throws(CertificationError) -> [Played.Failure] {
        var state = bench.state(of: suite)
        let keys = Set(state.objects.map(\.key)).union(expected.objects.keys)
        state.view = try await means.look(keys.sorted(), place)
        return state.differences(from: expected, isRefused: scenario.refusesChanges).map {
            Played.Failure(.stateDiffers, name.isEmpty ? $0 : "\(name): \($0)")
        }
    }

    /// The steps that the client did not do.
    private func undone(
        _ scenario: Scenario, _ ending: Ending, _ reader: ExpectedEventReader, at end: Instant
    ) throws(TraceError) -> [Played.Failure] {
        var undone: [Played.Failure] = []
        if case .timeLimit = ending {
            let limit = Step.number((scenario.limit * slowness).rounded())
            undone.append(
                Played.Failure(.notDone, "the client did not end within \(limit) s"))
        }
        for demand in StepDemand.all(of: scenario, isCutShort: ending.isCutShort) {
            let seen = try reader.seen(demand.event, now: end)
            guard !seen.isThere else { continue }
            let enough = seen.expectation.count
            let text = "the client did not \(demand.deed)"
            undone.append(
                Played.Failure(
                    .notDone,
                    enough > 1 ? "\(text): \(seen.count) of \(enough) were seen" : text))
        }
        return undone
    }

    /// What the server refused by itself: the first of it.
    ///
    /// A form that a fault refuses for good leaves device and server with different cases, so that
    /// more may be refused.
    private func refusals(
        _ scenario: Scenario, _ reader: ExpectedEventReader, at end: Instant
    ) throws(TraceError) -> [Played.Failure] {
        guard suite.name == .commcare, scenario.unstored.isEmpty else { return [] }
        let seen = try reader.seen(
            .lines("api:commcare.* status>=400 fate:same", "a refusal"), now: end)
        guard seen.isThere else { return [] }
        let more = seen.count > 1 ? ", and \(seen.count - 1) more" : ""
        return [
            Played.Failure(
                .refused,
                "the server refused \(seen.row ?? "a request"), which no fault asked for\(more)")
        ]
    }

    /// How the client ended.
    private enum Ending {
        case byItself(String)
        case allSeen
        case timeLimit(String)
        case byUser

        /// Whether it was ended.
        var isByBench: Bool {
            if case .byItself = self { false } else { true }
        }

        /// Whether it was ended before its script was over, for no fault of its own.
        var isCutShort: Bool {
            switch self {
            case .allSeen, .byUser: true
            case .byItself, .timeLimit: false
            }
        }

        /// As text.
        var text: String {
            switch self {
            case .byItself(let text), .timeLimit(let text): text
            case .allSeen: "was ended: all expected events were seen"
            case .byUser: "was ended by the user"
            }
        }
    }

    /// Waits for the client, runs what is to happen meanwhile, and compares at the points of the
    /// scenario.
    private func watch(
        _ client: any TestedClient, _ scenario: Scenario, _ bench: Bench,
        _ place: inout SecondPlace, _ failures: inout [Played.Failure]
    ) async throws(CertificationError) -> Ending {
        let start = ContinuousClock.now
        let endsWhenSeen = isDevice || scenario.lingers
        var deeds = scenario.deeds[...]
        // Since a device chooses the keys of its objects, nothing is known of them.
        var points = isDevice ? [] : scenario.points[...]
        var quietSince: (now: ContinuousClock.Instant, count: Int)?
        func leaveOut() {
            guard !scenario.endsRefused else { return }
            failures += points.map {
                Played.Failure(
                    .notDone, "nothing could be compared \($0.name): missing: \($0.when.detail)")
            }
        }
        while true {
            if let ending = client.ending() {
                leaveOut()
                return .byItself(ending)
            }
            if Task.isCancelled || Self.seconds(since: start) > scenario.limit * slowness {
                let ending = await client.stop()
                guard !Task.isCancelled else { return .byUser }
                leaveOut()
                return .timeLimit(ending)
            }
            if let deed = deeds.first, try see(deed.when, bench) {
                deeds.removeFirst()
                try await means.act(deed.steps, place)
                continue
            }
            if deeds.isEmpty, let point = points.first, try see(point.when, bench) {
                points.removeFirst()
                failures += try await differences(
                    from: ExpectedEnd(scenario, at: point), scenario, bench, place, at: point.name)
                place.looks += 1
                continue
            }
            if endsWhenSeen, deeds.isEmpty, points.isEmpty, let count = try done(scenario, bench) {
                if quietSince?.count != count { quietSince = (.now, count) }
                if let since = quietSince?.now, Self.seconds(since: since) > Self.quiet {
                    _ = await client.stop()
                    return .allSeen
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
            let optional = scenario.situations.filter(\.isOptional).map(\.id)
            let isSeen = seen.allSatisfy { id, all in
                optional.contains(id) || all.allSatisfy(\.isThere)
            }
            guard isSeen else { return nil }
            let all = ExpectedEvent.lines("*", "anything")
            return try reader.seen(all, now: bench.now).count
        } catch { throw CertificationError(error.reason) }
    }

    static func seconds(since start: ContinuousClock.Instant) -> Double {
        let parts = (ContinuousClock.now - start).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
