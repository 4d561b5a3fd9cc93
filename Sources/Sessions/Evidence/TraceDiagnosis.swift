package import Diagnosis
import Trace
package import Wire

/// Reports which rules the peers of a trace broke.
package struct TraceDiagnosis {
    /// The findings of one session.
    package struct Session {
        package var id: SessionID
        /// All findings, the worst first, those of one severity in order of time.
        package var findings: [Finding]
        /// The same as rows of the trace.
        package var rows: [FindingRow]
        /// What could not be decided since the recording ended, in order of time.
        package var undecided: [UndecidedDuty]
        /// The same as rows of the trace.
        package var undecidedRows: [UndecidedRow]
        /// The number of findings of each rule that were left out because there were too many.
        package var leftOut: [String: Int]
        /// The counts of what was diagnosed.
        package var counts: EvidenceCounts
        /// Whether it is still running.
        package var isRunning: Bool
        /// Random seed of its faults; nil without faults.
        package var seed: UInt64?
    }

    /// Receives the number of rows read, their total, and the current step.
    package typealias Progress = (_ done: Int, _ all: Int, _ what: String) -> Void

    /// The sessions, in order.
    package var sessions: [Session]
    /// Why the findings are not stored in the trace; nil where they are.
    package var unstored: String?
    /// A warning about the file; nil without one.
    package var warning: String?

    /// Diagnoses the trace at `path` and stores the findings in it, where that can be.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - session: That session only (default: all).
    ///   - patienceNanoseconds: How long each duty may wait; nil for the deadlines of the rules.
    ///   - progress: Receives the number of rows read, their total, and the current step.
    /// - Returns: The findings, and why they are not stored where that is so.
    /// - Throws: ``SessionError`` where the trace cannot be read or has no such session.
    package static func diagnose(
        trace path: String, session: SessionID? = nil, patienceNanoseconds: Int64? = nil,
        progress: Progress = { _, _, _ in }
    ) throws(SessionError) -> TraceDiagnosis {
        let isWritten = FindingStore.isWritten(path)
        var diagnosis = try read(
            trace: path, session: session, patienceNanoseconds: patienceNanoseconds,
            progress: progress)
        diagnosis.store(in: path, isWritten: isWritten)
        return diagnosis
    }

    /// Diagnoses the trace at `path`, and stores nothing.
    ///
    /// - Parameters and result: as of ``diagnose(trace:session:patienceNanoseconds:progress:)``.
    /// - Throws: ``SessionError`` where the trace cannot be read or has no such session.
    package static func read(
        trace path: String, session: SessionID? = nil, patienceNanoseconds: Int64? = nil,
        progress: Progress = { _, _, _ in }
    ) throws(SessionError) -> TraceDiagnosis {
        // Asked before the trace is opened: closing a descriptor drops SQLite's locks.
        let isWritten = FindingStore.isWritten(path)
        var diagnosis = TraceDiagnosis(sessions: [], unstored: nil)
        do {
            let reader = try TraceReader.forReport(path, &diagnosis.warning)
            let (sessions, bounds, totals) = try reader.reading { reader throws(TraceError) in
                (try reader.sessions(), try EvidenceBounds(reader), try reader.lastNumbers())
            }
            if let session, !sessions.contains(where: { $0.id == session }) {
                throw SessionError.missing(
                    "there is no session \(session) in \(path); it has \(sessions.count)")
            }
            let all = Int(clamping: totals.exchange &+ totals.command)
            for detail in sessions where session == nil || detail.id == session {
                let isRunning =
                    isWritten && detail.endedAt == nil && detail.id == sessions.last?.id
                let before = diagnosis.sessions.reduce(0) {
                    $0 + $1.counts.commands + $1.counts.exchanges
                }
                do throws(TraceError) {
                    diagnosis.sessions.append(
                        try diagnose(
                            detail, path, bounds, patienceNanoseconds, isRunning: isRunning,
                            after: before, of: all, progress))
                } catch {
                    throw SessionError.trace(error)
                }
            }
        }
        return diagnosis
    }

    private static func diagnose(
        _ detail: SessionDetail, _ path: String, _ bounds: EvidenceBounds,
        _ patienceNanoseconds: Int64?, isRunning: Bool, after before: Int, of all: Int,
        _ progress: Progress
    ) throws(TraceError) -> Session {
        let reading = EvidenceBatches(path: path, session: detail.id, bounds: bounds)
        defer { reading.drop() }
        var lanes = DiagnosisLanes(patienceNanoseconds: patienceNanoseconds)
        while let batch = try reading.next() {
            lanes.observe(batch.evidence)
            progress(
                before + batch.counts.commands + batch.counts.exchanges, all,
                "diagnosing session \(detail.id)")
        }
        let (counts, last) = (reading.counts, reading.last)
        let diagnosis = lanes.finish(
            at: max(last, detail.endedAt ?? .zero), isRunning: isRunning)
        var findings = diagnosis.findings
        for place in findings.indices {
            findings[place].number = FindingNumber(session: detail.id, place: place + 1)
        }
        var undecided = diagnosis.undecided
        for place in undecided.indices {
            undecided[place].number = FindingNumber(
                .undecided, session: detail.id, place: place + 1)
        }
        let rows = FindingRows(try ReplayReader(path: path))
        return Session(
            id: detail.id, findings: findings, rows: findings.map(rows.row),
            undecided: undecided, undecidedRows: undecided.map(rows.row),
            leftOut: diagnosis.leftOut, counts: counts, isRunning: isRunning, seed: detail.seed)
    }

    /// The finding with this number; nil where there is none.
    package func finding(_ number: FindingNumber) -> Finding? {
        sessions.first { $0.id == number.session }?.findings.first { $0.number == number }
    }

    /// What could not be decided with this number; nil where there is no such thing.
    package func undecided(_ number: FindingNumber) -> UndecidedDuty? {
        sessions.first { $0.id == number.session }?.undecided.first { $0.number == number }
    }

    private mutating func store(in path: String, isWritten: Bool) {
        guard !isWritten else {
            unstored = "the trace is being written"
            return
        }
        do {
            try FindingStore.store(
                sessions.map {
                    DiagnosedSession($0.id, findings: $0.rows, undecided: $0.undecidedRows)
                }, in: path)
        } catch {
            unstored = error.reason
        }
    }
}
