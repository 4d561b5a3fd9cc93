import Certification
import Diagnosis
import Faults
import Sessions
import Trace
import Wire

/// What the diagnosis and the judgement of faults say about a trace.
enum TraceFindings {
    /// Reads the trace at `path`; what is found is stored in it as well.
    static func read(_ path: String) throws(CertificationError) -> TraceVerdicts {
        do throws(SessionError) {
            let sessions = try TraceDiagnosis.diagnose(trace: path).sessions
            let faults = try FaultJudgement.judge(trace: path).sessions.flatMap(\.faults)
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
