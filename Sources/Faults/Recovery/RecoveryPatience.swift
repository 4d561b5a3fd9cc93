import OpenRosa
import Wire

/// Why a client may do nothing for some time after a fault.
enum RecoveryPatience: Hashable {
    /// It has no reason to wait.
    case none
    /// It pauses before it tries again.
    case pause
    /// It pauses if the answer is one after which clients wait: with Retry-After, or a status that
    /// passes.
    case answer(status: Int?, retryAfter: String?)
    /// Nothing arrives, and it has a time limit for silence.
    case silence
    /// A change is not answered: a client sends it again once it is connected again, or after a
    /// time limit.
    case answerToChange
    /// The fault itself takes so long, in nanoseconds.
    case duration(Int64)

    /// The pause of a client that has not shown one in this session, in nanoseconds.
    ///
    /// simperium-js pauses 15 s, the other clients less.
    /// Source: Simperium/Specification.md#clients-in-practice.
    static let usualPause: Int64 = 15_000_000_000
    /// The longest pause that a client may show, in nanoseconds: the first of CommCare's back-off.
    static let longestPause: Int64 = 300_000_000_000
    /// The longest time limit for silence in use, in nanoseconds.
    ///
    /// simperium-ios and CommCare wait for 60 s.
    /// Source: Simperium/Specification.md#heartbeats; OpenRosa/Specification.md#code-202.
    static let silenceLimit: Int64 = 60_000_000_000

    /// Whether a status says that the same request may succeed later.
    static func passes(_ status: Int?) -> Bool {
        switch status {
        // Without an answer, the network is what failed.
        // A page of somebody else's, or a redirection to one, is no answer of the server.
        case .some(200..<400): true
        // A person has to sign in first.
        case 401: true
        case nil, 408, 423, 425, 429, 500, 502, 503, 504, 509: true
        default: false
        }
    }
}

extension FaultRecovery {
    /// Why a session that ended says nothing about a case: the client did not have to act yet.
    ///
    /// - Returns: The reason in words; nil where the client had time enough.
    func unfinishedWait(of item: RecoveryCase, endedAt end: Instant) -> String? {
        if let reason = unfinishedPause(of: item, endedAt: end) { return reason }
        let last = max(item.fault.row.at, attempts(of: item)?.lastAt ?? .zero)
        let passed = end.nanoseconds - last.nanoseconds
        guard passed < RecoveryPatience.silenceLimit, isIdle(item, since: last) else { return nil }
        return "the recording ended \(RetryAdvice.seconds(passed)) later, and the client sent "
            + "nothing more"
    }

    /// The same of a client that had to wait.
    private func unfinishedPause(of item: RecoveryCase, endedAt end: Instant) -> String? {
        let tries = attempts(of: item)
        var last = item.fault.row.at
        var patience = item.patience
        if let tries, let at = tries.lastAt, at > last, self.tries(of: item) > 0 {
            last = at
            // What the last answer was decides how long the client waits after it.
            if case .answer = patience {
                patience = .answer(status: tries.status, retryAfter: tries.retryAfter)
            }
        }
        let passed = end.nanoseconds - last.nanoseconds
        let pause = min(
            RecoveryPatience.longestPause,
            max(RecoveryPatience.usualPause, 2 * min(tries?.longestPause ?? 0, .max / 2)))
        switch patience {
        case .none: return nil
        case .duration(let nanoseconds):
            return passed < nanoseconds ? "the recording ended while the fault lasted" : nil
        case .silence:
            guard passed < RecoveryPatience.silenceLimit else { return nil }
            return "the recording ended after \(RetryAdvice.seconds(passed)) of silence, "
                + "before a client has to notice it"
        case .answerToChange:
            guard passed < RecoveryPatience.silenceLimit else { return nil }
            return "the recording ended \(RetryAdvice.seconds(passed)) after the change was sent, "
                + "before a client has to send it again"
        case .answer(let status, let retryAfter):
            if case .seconds(let seconds)? = retryAfter.flatMap(RetryAfter.parse) {
                let (wait, isFar) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
                guard isFar || passed < wait else { return nil }
                return "the recording ended \(RetryAdvice.seconds(passed)) into the \(seconds) s "
                    + "of Retry-After"
            }
            guard RecoveryPatience.passes(status) else { return nil }
        case .pause: break
        }
        guard passed < pause else { return nil }
        return "the recording ended \(RetryAdvice.seconds(passed)) later, within the pause before "
            + "a client tries again"
    }
}

extension RecoveryCase {
    /// Whether an answer claimed that the server has an edit, and the client was not shown what it
    /// has.
    var isHidden: Bool { edit != nil && !isShownWithout }

    /// What did not happen, in words; `times` is how often the client tried.
    func missing(_ times: String?) -> String {
        if edit != nil {
            return isHidden
                ? "nothing shows whether the server has the edit, as the answer claimed"
                : "nothing shows the edit on the server, and the client did not send it again"
        }
        return times.map { "tried \($0), never with success" }
            ?? "no later event shows a recovery"
    }

    /// Whether a rule answered with a success of its own.
    var answersWithSuccess: Bool {
        guard action?.kind == .status, let code = action?.integer("code") else { return false }
        return (200..<300).contains(code)
    }

    /// The code with which a change was refused in the server's place, or instead of its answer.
    var refusalCode: Int? {
        guard action?.kind == .error else { return nil }
        return Int(clamping: action?.integer("code") ?? 500)
    }
}
