package import Faults
package import Trace
package import Wire

/// Judges the faults of a trace: whether the client recovered from each.
package struct FaultJudgement {
    /// The faults of one session with their verdicts.
    package struct Session {
        package var detail: SessionDetail
        package var faults: [FaultDetail]
        /// Rules that matched nothing, by the events of the session.
        package var unmatched: [String]
    }

    /// The sessions with faults, or with rules that matched nothing.
    package var sessions: [Session]
    /// Why the verdicts are not stored in the trace; nil where they are.
    package var unstored: String?
    /// Whether one of the sessions is still running.
    package var isRunning = false
    /// A warning about the file; nil without one.
    package var warning: String?

    /// The number of faults with this verdict.
    package func count(_ outcome: FaultVerdict.Outcome) -> Int {
        sessions.reduce(into: 0) { sum, session in
            sum += session.faults.count { $0.verdict?.verdict == outcome.rawValue }
        }
    }

    /// The number of faults from which there is nothing to recover.
    package var unjudged: Int {
        sessions.reduce(into: 0) { sum, session in
            sum += session.faults.count { $0.verdict == nil && $0.row.isDone }
        }
    }

    /// The number of faults that could not be done; they have no verdict.
    package var failures: Int {
        sessions.reduce(0) { sum, session in sum + session.faults.count { !$0.row.isDone } }
    }

    /// Judges the faults of the trace at `path` and stores the verdicts in it, where that can be.
    ///
    /// Called once the writer of a session has finished; while one writes, nothing is stored and
    /// what is not decided yet is undecided.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - session: That session only (default: all).
    ///   - diagnosis: What the diagnosis of the trace says; nil to diagnose it.
    ///   - progress: Receives the number of rows diagnosed, their total, and the current step.
    /// - Returns: The verdicts, and why they are not stored where that is so.
    /// - Throws: ``SessionError`` where the trace cannot be read or has no such session.
    package static func judge(
        trace path: String, session: SessionID? = nil, diagnosis: TraceDiagnosis? = nil,
        progress: TraceDiagnosis.Progress = { _, _, _ in }
    ) throws(SessionError) -> FaultJudgement {
        // Asked before the trace is opened: closing a descriptor drops SQLite's locks.
        let isWritten = FaultVerdicts.isWritten(path)
        var judgement = FaultJudgement(sessions: [], unstored: nil)
        do {
            let reader = try TraceReader.forReport(path, &judgement.warning)
            let sessions = try reader.reading { reader throws(TraceError) in
                try reader.sessions()
            }
            let last = sessions.last?.id
            if let session, !sessions.contains(where: { $0.id == session }) {
                throw SessionError.missing(
                    "there is no session \(session) in \(path); it has \(sessions.count)")
            }
            for detail in sessions where session == nil || detail.id == session {
                let isRunning = isWritten && detail.endedAt == nil && detail.id == last
                let judged = try judge(
                    detail, reader, path, diagnosis, isRunning: isRunning, progress)
                judgement.isRunning = judgement.isRunning || isRunning
                if !judged.faults.isEmpty || !judged.unmatched.isEmpty {
                    judgement.sessions.append(judged)
                }
            }
        }
        let verdicts = judgement.sessions.flatMap { $0.faults.compactMap(\.verdict) }
        guard !isWritten else {
            judgement.unstored = "the trace is being written"
            return judgement
        }
        guard !verdicts.isEmpty else { return judgement }
        do {
            try FaultVerdicts.store(verdicts, in: path)
        } catch {
            judgement.unstored = error.reason
        }
        return judgement
    }

    private static func judge(
        _ detail: SessionDetail, _ reader: TraceReader, _ path: String,
        _ diagnosis: TraceDiagnosis?, isRunning: Bool, _ progress: TraceDiagnosis.Progress
    ) throws(SessionError) -> Session {
        var (faults, warnings) = try reader.reading { reader throws(TraceError) in
            (try reader.faults(session: detail.id), try reader.warnings(of: detail.id))
        }
        let unmatched = warnings.compactMap(UnmatchedRule.name)
        guard !faults.isEmpty else {
            return Session(detail: detail, faults: [], unmatched: unmatched)
        }
        var recovery = FaultRecovery(
            // From what could not be done there is nothing to recover.
            faults: faults.filter(\.row.isDone).map {
                JudgedFault(
                    id: $0.id, row: $0.row, exchange: $0.clientExchange,
                    message: $0.clientMessage, isControl: $0.isControl,
                    came: $0.came ?? [])
            })
        var losses = DiagnosedLosses(of: faults)
        try reader.reading { reader throws(TraceError) in
            try reader.history(of: detail.id) {
                recovery.observe(Observation($0))
                losses.observe($0)
            }
        }
        var said = diagnosis
        if said == nil {
            said = try TraceDiagnosis.read(trace: path, session: detail.id, progress: progress)
        }
        if let own = said?.sessions.first(where: { $0.id == detail.id }) { losses.take(own) }
        let verdicts = Dictionary(
            recovery.verdicts(isRunning: isRunning, endedAt: detail.endedAt).map { ($0.fault, $0) },
            uniquingKeysWith: { first, _ in first })
        for index in faults.indices {
            guard let verdict = verdicts[faults[index].id] else { continue }
            faults[index].verdict = FaultVerdictRow(losses.verdict(verdict, of: faults[index]))
        }
        return Session(detail: detail, faults: faults, unmatched: unmatched)
    }
}

/// The event that records that a rule matched nothing.
package enum UnmatchedRule {
    private static let start = "fault rule "
    private static let end = " matched nothing"

    /// The record for a rule; to be put before the session ends.
    package static func record(_ name: String, at: Instant) -> Record {
        .event(EventRow(.warning, at: at, detail: start + name + end))
    }

    /// The rule that an event is about; nil for other events.
    package static func name(_ event: EventRow) -> String? {
        guard event.kind == .warning, event.detail.hasPrefix(start), event.detail.hasSuffix(end)
        else {
            return nil
        }
        return String(event.detail.dropFirst(start.count).dropLast(end.count))
    }
}

extension Observation {
    /// The verdicts of the history of a session.
    package init(_ entry: HistoryEntry) {
        switch entry {
        case .connection(let row): self = .connection(row)
        case .exchange(let row, let instance): self = .exchange(row, instance: instance)
        case .command(let row, let changes, let text):
            self = .command(row, changes: changes, text: text)
        }
    }
}

extension FaultVerdictRow {
    /// A verdict as it is stored.
    package init(_ verdict: FaultVerdict) {
        self.init(
            fault: verdict.fault, verdict: verdict.outcome.rawValue, how: verdict.how,
            exchange: verdict.exchange, command: verdict.command,
            afterNanoseconds: verdict.afterNanoseconds, tries: verdict.tries)
    }
}
