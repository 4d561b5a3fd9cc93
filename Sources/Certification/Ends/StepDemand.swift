/// What shows that the client did a step, or several, of its script.
public struct StepDemand: Hashable, Sendable {
    /// What it did not do where the event is missing: continues "the client did not".
    public let deed: String
    /// What has to be seen.
    public let event: ExpectedEvent

    /// The demands of the script of a scenario.
    ///
    /// Where a scenario ends with a refusal, the client cannot do what the script asks for.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - isCutShort: Whether the client was ended before the pauses of its script were over.
    /// - Returns: The demands; none where the scenario ends with a refusal.
    public static func all(of scenario: Scenario, isCutShort: Bool) -> [StepDemand] {
        guard !scenario.endsRefused else { return [] }
        let script = isCutShort ? scenario.scriptUntilPause : scenario.script
        return simperium(script) + commCare(script, hasFaults: !scenario.faults.isEmpty)
            + (isCutShort ? [] : staying(script))
    }

    private static func simperium(_ script: [Step]) -> [StepDemand] {
        var demands: [StepDemand] = []
        if script.contains(.waitSynced) {
            demands.append(
                StepDemand(
                    deed: "read the whole index",
                    event: .lines(
                        "command:i sender:server not body~mark", "the last page of an index")))
        }
        if script.contains(.sockJS) {
            demands.append(
                StepDemand(
                    deed: "use SockJS",
                    event: .lines(
                        "api:simperium.socket path:/sock/1/*/*/*/websocket", "a socket with SockJS")
                ))
        }
        let openings = script.count { $0 == .cut || $0 == .online }
        if openings > 0 {
            demands.append(
                StepDemand(
                    deed: openings == 1 ? "reconnect" : "reconnect \(openings) times",
                    event: .lines(
                        "command:init sender:client", "an init on a new socket",
                        count: 1 + openings)))
        }
        for (key, count) in edits(script) {
            demands.append(
                StepDemand(
                    deed: "change \(key)\(count == 1 ? "" : " \(count) times")",
                    event: .changes(of: key, "a change of \(key)", count: count)))
        }
        return demands
    }

    /// The number of changes of each key that cannot be joined, in the order of the keys' first
    /// ones: edits of an object without a wait between them may be one change.
    private static func edits(_ script: [Step]) -> [(key: String, count: Int)] {
        var counts: [(key: String, count: Int)] = []
        var open: Set<String> = []
        for step in script {
            switch step {
            case .set(let key, _), .delete(let key):
                guard open.insert(key).inserted else { continue }
                if let place = counts.firstIndex(where: { $0.key == key }) {
                    counts[place].count += 1
                } else {
                    counts.append((key, 1))
                }
            case .waitSynced, .waitFor: open = []
            default: break
            }
        }
        return counts
    }

    private static func commCare(_ script: [Step], hasFaults: Bool) -> [StepDemand] {
        var demands: [StepDemand] = []
        let syncs = script.count { $0 == .sync(isAutomatic: false) }
        if syncs > 0 {
            // A form that is refused ends a sync before its restore.
            let api =
                hasFaults ? "{commcare.restore,commcare.submit}" : "commcare.restore"
            demands.append(
                StepDemand(
                    deed: syncs == 1 ? "sync" : "sync \(syncs) times",
                    event: .lines("api:\(api)", "a sync", count: syncs)))
        }
        let claims = script.count {
            if case .claim = $0 { true } else { false }
        }
        if claims > 0 {
            demands.append(
                StepDemand(
                    deed: "claim the case",
                    event: .lines("api:commcare.claim", "a claim", count: claims)))
        }
        if script.contains(where: { if case .submit(_, _, .demo) = $0 { true } else { false } }) {
            demands.append(
                StepDemand(
                    deed: "submit a form in the practice mode",
                    event: .lines(
                        "api:commcare.submit query:*submit_mode=demo*",
                        "a form of the practice mode")))
        }
        return demands
    }

    /// The client stays as long as its script pauses.
    private static func staying(_ script: [Step]) -> [StepDemand] {
        let pauses = script.reduce(0.0) { sum, step in
            if case .pause(let seconds) = step { sum + seconds } else { sum }
        }
        guard pauses > 0 else { return [] }
        return [
            StepDemand(
                deed: "stay for the \(Step.number(pauses)) s of its script",
                event: .lasting(pauses * 0.9, after: "*", "a session of \(Step.number(pauses)) s"))
        ]
    }
}
