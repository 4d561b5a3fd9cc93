internal import Simperium
internal import Wire

/// How long a driver waits for the server, and its message on a timeout.
public struct SimperiumPatience: Hashable, Sendable {
    /// Nanoseconds from the start of the work.
    public var limit: Int64
    private(set) var end: Instant?

    /// A patience of this many nanoseconds.
    public init(limit: Int64) { self.limit = max(1, limit) }

    /// Starts the clock; returns the commands by which it is checked in time.
    mutating func begin(at now: Instant) -> SimperiumAction {
        let end = Instant(nanoseconds: now.nanoseconds + limit)
        self.end = end
        return .wake(end)
    }

    /// Why waiting is useless; nil while it is not.
    ///
    /// A server that never answered is abandoned at the first failure; one that did is given the
    /// time to come back.
    ///
    /// - Parameters:
    ///   - session: As it is now.
    ///   - now: When that is.
    ///   - kept: What is kept for another time, as the end of a sentence; nil for nothing.
    /// - Returns: How the work ends.
    func verdict(
        _ session: SimperiumSession, at now: Instant, kept: String?
    ) -> SimperiumOutcome? {
        let note = kept.map { "; \($0)" } ?? ""
        if let refusal = session.refusal { return refusal.outcome(note: note) }
        let reason = session.lastFailure
        if !session.wasAnswered, session.failures > 0 {
            return .unreachable("no server: \(reason ?? "")\(note)")
        }
        guard let end, now >= end else { return nil }
        guard session.wasAnswered else { return .unreachable("the server does not answer\(note)") }
        let what = session.isSynced ? "the server has not acknowledged it" : "not in sync"
        let why = session.isSynced ? "" : reason.map { ": \($0)" } ?? ""
        return .later("\(what) after \(Self.seconds(limit))\(why); try again\(note)")
    }

    /// A duration as readable text.
    static func seconds(_ nanoseconds: Int64) -> String {
        nanoseconds >= 1_000_000_000
            ? "\(nanoseconds / 1_000_000_000) s" : "\(nanoseconds / 1_000_000) ms"
    }

    /// How many objects wait, as the end of a sentence; nil where none does.
    static func kept(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        return "\(count) unsent \(count == 1 ? "object is" : "objects are") kept"
    }

    /// What to do about a change that was refused.
    static func advice(_ key: String, _ code: Int?, _ reason: String) -> String {
        let what =
            switch code {
            case nil: "was not sent"
            case let code?: "was refused with \(code)"
            }
        let help =
            switch code {
            case 400: "; correct the key or the data and store it again"
            case 401: "; the user may not write to this bucket: request the permission"
            case 404, 405, 440: "; store it again to try with the object as it is now"
            case 413: "; make the object smaller and store it again"
            case nil: ""
            default: "; store something else under this key to try again"
            }
        return "\(key) \(what): \(reason)\(help)"
    }
}
