import Diagnosis
import Dissection
import Faults
import Simperium
import Trace
import Wire

/// What the diagnosis says of what was sent and did not arrive, or was not answered, because of
/// faults.
///
/// That a client is back on a connection does not show that what the fault took is safe: a finding
/// that it is lost or doubled decides, whatever else the client did since.
struct DiagnosedLosses {
    /// A finding, or a duty that could not be decided.
    private struct Claim {
        var rule: String
        var number: String?
        var isUndecided: Bool
        var at: Instant
        var steps: [FindingStep]
    }

    /// Rules about the client's data that is lost or stands twice.
    static let rules: Set<String> = [
        "simperium.change.never-resent", "simperium.change.stuck-key",
        "simperium.change.forgotten", "simperium.change.not-sent-whole",
        "simperium.change.resend-under-new-ccid", "simperium.change.duplicate-edit",
        "simperium.diff.repeats-insert", "commcare.submit.forgotten",
        "commcare.story.duplicate-form", "commcare.sync.token-of-broken-restore",
    ]
    /// Rules that are broken where a form is lost that nobody could read.
    static let rulesOfUnreadForms: Set<String> = [
        "commcare.sync.state-hash", "commcare.case.unknown",
    ]

    private var claims: [Claim] = []
    /// Commands of clients with the changes that faults were done to, or to the answers of.
    private var commands: [String: [CommandID]] = [:]
    private var connections: [CommandID: ConnectionID] = [:]
    private var exchanges: [ExchangeID: ConnectionID] = [:]
    /// Submissions of which the form is not known.
    private var unread: Set<ExchangeID> = []
    private let changes: [Int64: [String]]
    private let faulted: Set<ConnectionID>

    /// Of a session with these faults.
    init(of faults: [FaultDetail]) {
        var changes: [Int64: [String]] = [:]
        for fault in faults {
            guard let text = fault.came, let sender = fault.row.sender,
                case .changes(let found) = SimperiumCommand.parse(text, from: sender).body
            else { continue }
            changes[fault.id] = found.flatMap(\.ccids)
        }
        self.changes = changes
        for ccid in changes.values.joined() { commands[ccid] = [] }
        faulted = Set(faults.compactMap(\.row.connection))
    }

    /// Takes what happened, in order of time.
    mutating func observe(_ entry: HistoryEntry) {
        switch entry {
        case .connection: break
        case .exchange(let row, let instance):
            guard faulted.contains(row.connection) else { return }
            exchanges[row.id] = row.connection
            if instance == nil, row.api == "commcare.submit" { unread.insert(row.id) }
        case .command(let row, let changes, _):
            guard faulted.contains(row.connection), row.sender == .client, row.name == "c" else {
                return
            }
            connections[row.id] = row.connection
            for change in changes {
                for ccid in change.ccid?.split(separator: " ").map(String.init) ?? [] {
                    commands[ccid]?.append(row.id)
                }
            }
        }
    }

    /// Takes what the diagnosis says of the session.
    mutating func take(_ session: TraceDiagnosis.Session) {
        claims = session.findings.filter { $0.rule.blames == .client && $0.severity != .info }
            .map {
                Claim(
                    rule: $0.rule.id, number: $0.number?.description, isUndecided: false, at: $0.at,
                    steps: $0.steps)
            }
        claims += session.undecided.filter { $0.rule.blames == .client }.map {
            Claim(rule: $0.rule.id, number: nil, isUndecided: true, at: $0.at, steps: $0.steps)
        }
        let wanted = Self.rules.union(Self.rulesOfUnreadForms)
        claims.removeAll { !wanted.contains($0.rule) }
    }

    /// The verdict of a fault with what the diagnosis says of the same change or form.
    func verdict(_ verdict: FaultVerdict, of fault: FaultDetail) -> FaultVerdict {
        guard verdict.outcome != .notRecovered, !claims.isEmpty else { return verdict }
        let about = claims.filter { isAbout(fault, $0) }
        if let claim = about.first(where: { !$0.isUndecided }) {
            let number = claim.number.map { "finding \($0), " } ?? ""
            return changed(verdict, fault, to: .notRecovered, claim, "\(number)\(claim.rule)")
        }
        if verdict.outcome == .recovered, let claim = about.first {
            return changed(
                verdict, fault, to: .undecided, claim, "\(claim.rule) could not be decided")
        }
        return verdict
    }

    private func changed(
        _ verdict: FaultVerdict, _ fault: FaultDetail, to outcome: FaultVerdict.Outcome,
        _ claim: Claim, _ words: String
    ) -> FaultVerdict {
        var verdict = verdict
        if verdict.outcome == .recovered {
            verdict.how = "\(words); otherwise \(verdict.how)"
        } else {
            verdict.how = words
        }
        verdict.outcome = outcome
        let step = claim.steps.last { $0.command != nil || $0.exchange != nil }
        verdict.command = step?.command
        verdict.exchange = step?.command == nil ? step?.exchange : nil
        verdict.afterNanoseconds = max(0, claim.at.nanoseconds - fault.row.at.nanoseconds)
        return verdict
    }

    /// Whether a claim is about what a fault was done to, or about what was under way on the
    /// connection that it broke.
    private func isAbout(_ fault: FaultDetail, _ claim: Claim) -> Bool {
        let targets = [fault.exchange, fault.clientExchange].compactMap(\.self)
        if Self.rulesOfUnreadForms.contains(claim.rule) {
            return !claim.isUndecided && claim.at > fault.row.at
                && targets.contains { unread.contains($0) }
        }
        let sent = (changes[fault.id] ?? []).flatMap { commands[$0] ?? [] }
        let isOfConnection = fault.row.hasEffect([.ended, .stalled])
        return claim.steps.contains { step in
            if let command = step.command {
                return command == fault.command || sent.contains(command)
                    || isOfConnection && step.at <= fault.row.at
                        && connections[command] == fault.row.connection
            }
            guard let exchange = step.exchange else { return false }
            return targets.contains(exchange)
                || isOfConnection && step.at <= fault.row.at
                    && exchanges[exchange] == fault.row.connection
        }
    }
}
