internal import Notation
internal import Simperium
public import Wire

/// Does the steps of a script, one after the other.
public struct SimperiumScriptRunner: SimperiumDriver {
    private let script: SimperiumScript
    private let patience: Int64
    private var place = 0
    private var hasBegun = false
    /// When the waiting step times out.
    private var end: Instant?

    /// A runner whose waiting steps last at most this many nanoseconds.
    public init(_ script: SimperiumScript, patience: Int64) {
        self.script = script
        self.patience = max(1, patience)
    }

    /// Runs a turn.
    public mutating func turn(
        _ notices: [SimperiumSession.Notice], _ session: SimperiumSession,
        at now: Instant
    ) -> [SimperiumAction] {
        var actions = notices.compactMap { $0.line.map { SimperiumAction.say($0) } }
        if !hasBegun {
            hasBegun = true
            // A script with a step that goes online begins offline.
            if script.steps.first?.action != .offline { return actions + [.event(.online)] }
        }
        while script.steps.indices.contains(place) {
            let step = script.steps[place]
            if let time = step.time, now.nanoseconds < time {
                actions.append(.wake(Instant(nanoseconds: time)))
                return actions
            }
            switch step.action {
            case .set(let bucket, let key, let data):
                return next(actions, .edited(bucket: bucket, key: key, data: data))
            case .delete(let bucket, let key):
                return next(actions, .removed(bucket: bucket, key: key))
            case .cut: return next(actions, .cut)
            case .offline: return next(actions, .offline)
            case .online: return next(actions, .online)
            case .expect(let bucket, let key, let data):
                guard isThere(session, bucket, key, data) else {
                    let found = session.data(bucket, key)?.text() ?? "missing"
                    return actions + [
                        .finish(.failed("line \(step.line): \(bucket) \(key) is \(found)"))
                    ]
                }
            case .print(let bucket, let key):
                actions.append(.print(session.data(bucket, key)?.text() ?? ""))
            case .pause(let span):
                let end = end ?? Instant(nanoseconds: now.nanoseconds + span)
                self.end = end
                guard now >= end else { return actions + [.wake(end)] }
            case .waitConnected, .waitSynced, .waitFor:
                guard isOver(step.action, session) else {
                    return actions + [wait(step, session, at: now)]
                }
            }
            place += 1
            end = nil
        }
        return actions + [.finish(.done)]
    }

    private mutating func next(
        _ actions: [SimperiumAction], _ event: SimperiumSession.Event
    ) -> [SimperiumAction] {
        place += 1
        return actions + [.event(event)]
    }

    private func isThere(
        _ session: SimperiumSession, _ bucket: String, _ key: String, _ data: JSONValue?
    ) -> Bool {
        switch (session.data(bucket, key), data) {
        case (nil, nil): true
        case (let found?, let wanted?): found.isSame(as: wanted)
        default: false
        }
    }

    private func isOver(
        _ action: SimperiumScript.Action, _ session: SimperiumSession
    ) -> Bool {
        switch action {
        case .waitConnected: session.isOpen
        case .waitSynced: session.isSynced && session.pendingCount == 0
        case .waitFor(let bucket, let key, let data): isThere(session, bucket, key, data)
        default: true
        }
    }

    private mutating func wait(
        _ step: SimperiumScript.Step, _ session: SimperiumSession, at now: Instant
    ) -> SimperiumAction {
        if let refusal = session.refusal {
            return .finish(refusal.outcome(in: "line \(step.line): "))
        }
        let end = end ?? Instant(nanoseconds: now.nanoseconds + patience)
        self.end = end
        guard now >= end else { return .wake(end) }
        if !session.wasAnswered, let reason = session.lastFailure {
            return .finish(.unreachable("line \(step.line): no server: \(reason)"))
        }
        return .finish(
            .failed("line \(step.line): timed out after \(SimperiumPatience.seconds(patience))"))
    }
}
