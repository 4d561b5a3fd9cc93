import Certification
import Diagnosis

/// What the diagnosis finds in a trace.
enum TraceFindings {
    /// Diagnoses the trace at `path`; what is found is stored in it as well.
    static func read(_ path: String) throws(CertificationError) -> [Finding] {
        do throws(Failure) {
            return try TraceDiagnosis.diagnose(trace: path).sessions.flatMap(\.findings)
        } catch { throw CertificationError(error.says) }
    }
}
