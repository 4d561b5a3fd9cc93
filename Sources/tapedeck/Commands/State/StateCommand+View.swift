import Notation
import OpenRosa
import Replaying
import Simperium
import Wire

/// The part of a state that is shown.
struct StateView {
    let state: SessionState
    /// Since the start of the first session; nil for the end of the trace.
    let at: Instant?
    /// Wall clock at instant zero, nanoseconds since 1970 UTC.
    let anchor: Int64
    let bucket: String?
    let user: String?
    let key: String?

    /// The moment on the wall clock.
    var clock: String? {
        at.map {
            let moment = $0.nanoseconds.addingReportingOverflow(anchor).partialValue
            return Timestamp(unixNanoseconds: moment).text(digits: 3)
        }
    }

    /// The buckets that are shown.
    var buckets: [BucketState] {
        state.buckets.filter { shown in
            (bucket == nil || shown.name == bucket)
                && (user == nil || shown.user == user || shown.clients.contains { $0.id == user })
        }
    }

    /// The clients of a bucket that are shown.
    func clients(of shown: BucketState) -> [BucketClient] {
        guard let user, shown.user != user else { return shown.clients }
        return shown.clients.filter { $0.id == user }
    }

    /// The CommCare users that are shown.
    var users: [UserState] {
        guard bucket == nil else { return [] }
        return state.users.filter { user == nil || $0.user == user || $0.device == user }
    }

    /// The keys of a bucket that are shown, in order.
    func keys(of shown: BucketState, _ clients: [BucketClient]) -> [ExactText] {
        if let key {
            let key = ExactText(key)
            let isThere =
                shown.objects[key] != nil
                || clients.contains { $0.objects[key] != nil || $0.unacknowledged[key] != nil }
            return isThere ? [key] : []
        }
        var keys = Set(shown.objects.keys)
        for client in clients {
            keys.formUnion(client.objects.keys)
            keys.formUnion(client.unacknowledged.keys)
        }
        return keys.sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
    }

    /// The cases of a user on either side that are shown, in order.
    func cases(of user: UserState, _ local: CaseSet) -> [(client: CaseState?, server: CaseState?)] {
        let server = state.domain(of: user)?.cases.cases ?? [:]
        let log = user.server.log?.caseIDs ?? []
        var ids = Set(local.cases.keys).union(log)
        if let key { ids = ids.filter { $0 == ExactText(key) } }
        return ids.sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
            .map { (local.cases[$0], server[$0]) }
    }

    /// How the hash that a device sent last differs, unless one case alone is shown.
    func mismatch(of user: UserState) -> SentStateMismatch? {
        key == nil ? user.stateMismatch : nil
    }

    /// The cases of a user on which the sides disagree and that are shown.
    func disagreements(with user: UserState) -> [CaseDisagreement] {
        state.disagreements(with: user).filter { key == nil || $0.caseID == key }
    }
}

/// Names and sentences for the outcomes of changes and forms.
enum StateWords {
    /// Stable name of an outcome.
    static func name(_ outcome: UnacknowledgedChange.Outcome) -> String {
        switch outcome {
        case .unanswered: "unanswered"
        case .lost: "lost"
        case .accepted: "accepted"
        case .duplicate: "duplicate"
        case .refused: "refused"
        case .refusedUnseen: "refused-unseen"
        }
    }

    /// A change with its outcome, as text.
    static func text(_ change: UnacknowledgedChange) -> String {
        let what = change.isRemoval ? "removal" : change.sv == nil ? "creation" : "edit"
        let base = change.sv.map { " of version \($0)" } ?? ""
        let command = change.command.map { " in c\($0)" } ?? ""
        let tries = change.tries > 1 ? ", sent \(change.tries) times" : ""
        let outcome =
            switch change.outcome {
            case .unanswered: "has no answer"
            case .lost: "never reached the server"
            case .accepted(let version?):
                "is version \(version) on the server, but the client did not receive the answer"
            case .accepted(nil): "was accepted, but the client did not receive the answer"
            case .duplicate: "is on the server already (409), and the client has not fetched it"
            case .refused(let code): "was refused with \(code)"
            case .refusedUnseen(let code):
                "was refused with \(code), but the client did not receive the answer"
            }
        return "\(what)\(base)\(command) (ccid \(ListLine.clean(change.ccid))\(tries)) \(outcome)"
    }

    /// A change that a client does not have, as text.
    static func text(_ missed: MissedChange) -> String {
        let version = missed.version.map { " to version \($0)" } ?? ""
        let command = missed.command.map { " in c\($0)" } ?? ""
        switch missed.reason {
        case .lost: return "the server's change\(version)\(command) never reached the client"
        case .gap:
            return "the server's change\(version)\(command) applies to a version that the client "
                + "does not have"
        case .inapplicable:
            return "the server's change\(version)\(command) does not fit what the client has"
        }
    }

    /// Stable name of why a change is missing.
    static func name(_ reason: MissedChange.Reason) -> String {
        switch reason {
        case .lost: "lost"
        case .gap: "gap"
        case .inapplicable: "inapplicable"
        }
    }

    /// Stable name of an outcome.
    static func name(_ outcome: UnansweredForm.Outcome) -> String {
        switch outcome {
        case .unanswered: "unanswered"
        case .lost: "lost"
        case .accepted: "accepted"
        case .refused: "refused"
        case .unconfirmed: "unconfirmed"
        }
    }

    /// `3 forms not accepted (2 refused, 1 unanswered)`; nil without any.
    static func text(_ forms: [UnansweredForm]) -> String? {
        guard !forms.isEmpty else { return nil }
        var counts: [(name: String, count: Int)] = []
        for form in forms {
            let name = name(form.outcome)
            if let place = counts.firstIndex(where: { $0.name == name }) {
                counts[place].count += 1
            } else {
                counts.append((name, 1))
            }
        }
        return "\(forms.count) form\(forms.count == 1 ? "" : "s") not seen accepted "
            + "(\(counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")))"
    }

    /// A form with its outcome, as text.
    static func text(_ form: UnansweredForm) -> String {
        let tries = form.tries > 1 ? ", sent \(form.tries) times" : ""
        let outcome =
            switch form.outcome {
            case .unanswered: "has no answer"
            case .lost: "never reached the server"
            case .accepted: "was accepted, but the device did not receive the answer"
            case .refused(let status): "was refused with \(status)"
            case .unconfirmed(let status):
                "was answered \(status) with a page that is not a CommCare server's: the device may "
                    + "take it for sent, and the server does not have it"
            }
        let cleared = form.isCleared ? "; a full restore replaced its cases on the device" : ""
        return
            "form \(ListLine.clean(form.instanceID)) in #\(form.exchange)\(tries) \(outcome)\(cleared)"
    }

    /// How the hash that a device sent differs, as text.
    static func text(_ mismatch: SentStateMismatch) -> String {
        func list(_ ids: [String]) -> String {
            "case\(ids.count == 1 ? "" : "s") \(ids.map(ListLine.clean).joined(separator: ", "))"
        }
        var reasons: [String] = []
        if !mismatch.missing.isEmpty { reasons.append("it lacks \(list(mismatch.missing))") }
        if !mismatch.additional.isEmpty {
            reasons.append("it has \(list(mismatch.additional)) besides")
        }
        let reason =
            reasons.isEmpty
            ? "no one or two cases explain it" : reasons.joined(separator: ", and ")
        return "state hash: the device sent \(mismatch.sent) in #\(mismatch.exchange), and by the "
            + "trace it holds \(mismatch.expected): \(reason)"
    }

    /// A difference, as text.
    static func text(_ found: ObjectDisagreement) -> String {
        let server = found.server.map { "version \($0.version)" } ?? "nothing"
        let client = found.received.map { "version \($0.version)" } ?? "nothing"
        switch found.kind {
        case .missingOnClient: return "the server has \(server), the client does not have it"
        case .missingOnServer: return "the client has \(client), the server does not have it"
        case .version: return "the client has \(client), the server \(server)"
        case .data: return "both have \(server), with different data"
        case .unacknowledged:
            let held =
                client == server
                ? "both have \(server)" : "the client has \(client), the server \(server)"
            return "\(held); the client changed it"
        }
    }
}
