internal import Simperium
public import Wire

/// Stores or removes objects, or nothing, and waits until the server has all that was stored.
public struct SimperiumWriter: SimperiumDriver {
    private var events: [SimperiumSession.Event]
    private let isOffline: Bool
    private var patience: SimperiumPatience
    private var hasBegun = false
    private var hasWritten = false
    private var refusals: [String] = []

    /// A writer of these edits.
    ///
    /// - Parameters:
    ///   - events: Edits and removals.
    ///   - isOffline: Whether they are only stored, to be sent another time.
    ///   - patience: How long the server may take.
    public init(
        _ events: [SimperiumSession.Event], isOffline: Bool = false, patience: SimperiumPatience
    ) {
        self.events = events
        self.isOffline = isOffline
        self.patience = patience
    }

    /// Runs a turn.
    public mutating func turn(
        _ notices: [SimperiumSession.Notice], _ session: SimperiumSession,
        at now: Instant
    ) -> [SimperiumAction] {
        let said = notices.compactMap { $0.line.map { SimperiumAction.say($0) } }
        for notice in notices {
            if case .rejected(_, let key, let code, let reason) = notice {
                refusals.append(SimperiumPatience.advice(key, code, reason))
                // It was not even sent, so that there is nothing to wait for.
                if code == nil { return [.finish(.refused(refusals[0]))] }
            }
        }
        var actions = said
        if !hasBegun {
            hasBegun = true
            if !isOffline { actions += [.event(.online), patience.begin(at: now)] }
        }
        if !hasWritten {
            // A new value is a change relative to the present one. Without a server the edits are
            // kept nevertheless.
            let isTime =
                isOffline || session.isSynced || buckets.allSatisfy { session.isKnown($0) }
                || patience.verdict(session, at: now, kept: nil) != nil
            guard isTime else { return actions }
            hasWritten = true
            for case .removed(let bucket, let key) in events
            where session.data(bucket, key) == nil {
                return [.finish(.failed("there is no object \(key) in \(bucket)"))]
            }
            if !events.isEmpty { return actions + events.map { .event($0) } }
        }
        guard let outcome = outcome(session, at: now) else { return actions }
        if outcome == .done { actions += report(session) }
        return actions + [.finish(outcome)]
    }

    /// The outcome of each edit.
    private func report(_ session: SimperiumSession) -> [SimperiumAction] {
        events.compactMap { event in
            switch event {
            case .edited(let bucket, let key, _), .removed(let bucket, let key):
                if isOffline {
                    return .say("\(key) is kept; the next command that connects sends it")
                }
                guard let version = session.version(bucket, key) else {
                    return .say("\(key) is removed from the server")
                }
                return .say("\(key) is on the server, at version \(version)")
            default: return nil
            }
        }
    }

    /// Names of the buckets that are written to.
    private var buckets: [String] {
        events.compactMap { event in
            switch event {
            case .edited(let bucket, _, _), .removed(let bucket, _): bucket
            default: nil
            }
        }
    }

    private func outcome(
        _ session: SimperiumSession, at now: Instant
    ) -> SimperiumOutcome? {
        let isOver = isOffline || (session.isSynced && session.pendingCount == 0)
        if isOver || session.refusal != nil, let first = refusals.first {
            return .refused(
                refusals.count == 1 ? first : "\(first) (and \(refusals.count - 1) more)")
        }
        if isOver {
            for case .edited(let bucket, let key, _) in events
            where session.isHeld(bucket, key) {
                return .refused("\(key) was refused before and is held back: store other data")
            }
            return .done
        }
        return patience.verdict(
            session, at: now, kept: SimperiumPatience.kept(session.pendingCount))
    }
}

extension SimperiumSession.Notice {
    /// The progress message for the user; nil for what is visible anyway.
    var line: String? {
        switch self {
        case .opened: "connected"
        case .closed(let reason): "disconnected: \(reason)"
        case .rejected(_, let key, let code, let reason):
            SimperiumPatience.advice(key, code, reason)
        case .log(let line): line
        // The log contains that a bucket is in sync, and where.
        case .changed, .removed, .needsToken, .endOfInput, .synced: nil
        }
    }
}
