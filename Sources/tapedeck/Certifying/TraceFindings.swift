import Certification
import Diagnosis
import Faults
import Sessions
import Trace
import Wire

/// What the diagnosis and the judgement of faults say about a trace.
enum TraceFindings {
    /// Reads the trace at `path`; what is found is stored in it as well.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - patience: How long each duty may wait; nil for the deadlines of the rules.
    /// - Returns: The findings, what could not be decided, and faults without a recovery.
    /// - Throws: ``CertificationError`` where the trace cannot be read.
    static func read(
        _ path: String, patience: TimeSpan?
    ) throws(CertificationError) -> TraceVerdicts {
        do throws(SessionError) {
            let diagnosis = try TraceDiagnosis.diagnose(
                trace: path, patienceNanoseconds: patience?.nanoseconds)
            let sessions = diagnosis.sessions
            let faults = try FaultJudgement.judge(trace: path, diagnosis: diagnosis)
                .sessions.flatMap(\.faults)
            let lost = faults.filter {
                $0.verdict?.verdict == FaultVerdict.Outcome.notRecovered.rawValue
            }
            return TraceVerdicts(
                findings: sessions.flatMap(\.findings), undecided: sessions.flatMap(\.undecided),
                unrecovered: lost.map { fault in
                    let how = fault.verdict?.how ?? ""
                    return TraceVerdicts.Unrecovered(
                        fault: fault.row.rule,
                        detail: "the fault \(fault.row.rule) (\(fault.row.action)) on "
                            + FaultText.hit(fault) + (how.isEmpty ? "" : ": \(how)"))
                })
        } catch { throw CertificationError(error.reason) }
    }
}
