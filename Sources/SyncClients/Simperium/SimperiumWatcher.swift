internal import Notation
internal import Simperium
public import Wire

/// Prints the changes of objects until it is stopped, and may receive edits meanwhile.
public struct SimperiumWatcher: SimperiumDriver {
    /// What is printed.
    public enum Output: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// `BUCKET KEY JSON` or `BUCKET KEY removed`.
        case text
        /// One JSON object for everything that happens.
        case json
    }

    private let output: Output
    private let isOffline: Bool
    private var patience: SimperiumPatience
    private var hasBegun = false
    private var isEnding = false
    private var refusals: [Refusal] = []

    private struct Refusal {
        var bucket: String
        var key: String
        var code: Int?
        var detail: String
    }

    /// A watcher that waits this long for the server when nothing more is fed.
    public init(_ output: Output, isOffline: Bool = false, patience: SimperiumPatience) {
        self.output = output
        self.isOffline = isOffline
        self.patience = patience
    }

    /// Runs a turn.
    public mutating func turn(
        _ notices: [SimperiumSession.Notice], _ session: SimperiumSession,
        at now: Instant
    ) -> [SimperiumAction] {
        var actions: [SimperiumAction] = []
        if !hasBegun, !isOffline {
            hasBegun = true
            actions.append(.event(.online))
        }
        for notice in notices {
            switch notice {
            case .endOfInput:
                isEnding = true
                actions.append(patience.begin(at: now))
            case .rejected(let bucket, let key, let code, let reason):
                refusals.append(
                    Refusal(
                        bucket: bucket, key: key, code: code,
                        detail: SimperiumPatience.advice(key, code, reason)))
            default: break
            }
            if let line = notice.line { actions.append(.say(line)) }
            if let line = line(notice, session) { actions.append(.print(line)) }
        }
        // What was refused and stored again counts as not refused.
        refusals.removeAll { $0.code != nil && !session.isHeld($0.bucket, $0.key) }
        if let outcome = outcome(session, at: now) { actions.append(.finish(outcome)) }
        return actions
    }

    private func outcome(
        _ session: SimperiumSession, at now: Instant
    ) -> SimperiumOutcome? {
        if let refusal = session.refusal {
            let kept = SimperiumPatience.kept(session.pendingCount)
            return refusal.outcome(note: kept.map { "; \($0)" } ?? "")
        }
        guard isEnding else { return nil }
        if isOffline || (session.isSynced && session.pendingCount == 0) {
            return refusals.last.map { .refused($0.detail) } ?? .done
        }
        return patience.verdict(
            session, at: now, kept: SimperiumPatience.kept(session.pendingCount))
    }

    private func line(
        _ notice: SimperiumSession.Notice, _ session: SimperiumSession
    ) -> String? {
        switch output {
        case .nothing: nil
        case .text: text(notice)
        case .json: json(notice, session)?.text()
        }
    }

    private func text(_ notice: SimperiumSession.Notice) -> String? {
        switch notice {
        case .changed(let bucket, let key, _, let new, _): "\(bucket) \(key) \(new.text())"
        case .removed(let bucket, let key, _, _): "\(bucket) \(key) removed"
        default: nil
        }
    }

    private func json(
        _ notice: SimperiumSession.Notice, _ session: SimperiumSession
    ) -> JSONValue? {
        func object(_ event: String, _ members: [(String, JSONValue?)]) -> JSONValue {
            var object = JSONObject([.init("event", .string(event))])
            for case (let key, let value?) in members { object.members.append(.init(key, value)) }
            return .object(object)
        }
        switch notice {
        case .opened: return object("opened", [])
        case .closed(let reason): return object("closed", [("reason", .string(reason))])
        case .synced(let bucket): return object("synced", [("bucket", .string(bucket))])
        case .changed(let bucket, let key, let old, let new, let cause):
            let version = session.version(bucket, key).map { JSONValue.number(String($0)) }
            return object(
                "changed",
                [
                    ("bucket", .string(bucket)), ("key", .string(key)), ("version", version),
                    ("because", .string(Self.name(cause))), ("old", old), ("data", new),
                ])
        case .removed(let bucket, let key, let old, let cause):
            return object(
                "removed",
                [
                    ("bucket", .string(bucket)), ("key", .string(key)),
                    ("because", .string(Self.name(cause))), ("old", old),
                ])
        case .rejected(let bucket, let key, let code, let reason):
            return object(
                "rejected",
                [
                    ("bucket", .string(bucket)), ("key", .string(key)),
                    ("code", code.map { .number(String($0)) }), ("reason", .string(reason)),
                ])
        case .needsToken, .endOfInput, .log: return nil
        }
    }

    private static func name(_ cause: ClientBucket.Cause) -> String {
        switch cause {
        case .remote: "remote"
        case .index: "index"
        case .acknowledged: "acknowledged"
        case .refused: "refused"
        }
    }
}
