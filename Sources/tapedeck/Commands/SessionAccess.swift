import Sessions
import Trace
import Wire

extension RecordedSession {
    /// Opens a trace for replay, and reports its warnings on standard error.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - id: The session of it that is read; nil for all.
    /// - Returns: The lists of it.
    /// - Throws: ``Failure`` where it cannot be read, or has no such session.
    static func opened(
        _ path: String, session id: SessionID? = nil
    ) throws(Failure) -> RecordedSession {
        do {
            let session = try PatienceLine.during("reading \(path)") { () throws(TraceError) in
                try RecordedSession(path: path, session: id)
            }
            session.warning.map(StandardError.warn)
            return session
        } catch {
            throw Failure(error)
        }
    }
}

extension TraceDiagnosis {
    /// Diagnoses a trace, with progress and warnings on standard error.
    static func shown(
        trace: String, session: SessionID? = nil, patience: TimeSpan? = nil
    ) throws(Failure) -> TraceDiagnosis {
        var bar = ProgressBar()
        defer { bar.clear() }
        do {
            let diagnosis = try diagnose(
                trace: trace, session: session, patienceNanoseconds: patience?.nanoseconds
            ) { done, all, text in
                bar.show(done: done, of: all, text)
            }
            bar.clear()
            diagnosis.warning.map(StandardError.warn)
            return diagnosis
        } catch {
            throw Failure(error)
        }
    }
}

extension FaultJudgement {
    /// Judges the faults of a trace, with warnings on standard error.
    static func shown(
        trace: String, session: SessionID? = nil
    ) throws(Failure) -> FaultJudgement {
        var bar = ProgressBar()
        defer { bar.clear() }
        do {
            let judgement = try judge(trace: trace, session: session) { done, all, text in
                bar.show(done: done, of: all, text)
            }
            bar.clear()
            judgement.warning.map(StandardError.warn)
            return judgement
        } catch {
            throw Failure(error)
        }
    }
}

extension SessionStateReading {
    /// Reads the state of both sides, with progress on standard error.
    static func shown(
        _ reader: StateReader, upto moment: StateMoment, _ text: String
    ) throws(SessionError) -> SessionStateReading {
        var bar = ProgressBar()
        defer { bar.clear() }
        return try read(reader, upto: moment) { share in
            bar.show(done: Int(share * 1_000), of: 1_000, text)
        }
    }
}

extension StandardError {
    /// Writes a line for the user.
    static func warn(_ text: String) { write("tapedeck: \(text)\n") }
}
