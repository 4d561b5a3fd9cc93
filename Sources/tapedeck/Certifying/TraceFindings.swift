import Certification
import Diagnosis
import Sessions

/// The findings of the diagnosis in a trace.
enum TraceFindings {
    /// Diagnoses the trace at `path`; what is found is stored in it as well.
    static func read(_ path: String) throws(CertificationError) -> [Finding] {
        do throws(SessionError) {
            return try TraceDiagnosis.diagnose(trace: path).sessions.flatMap(\.findings)
        } catch { throw CertificationError(error.reason) }
    }
}
