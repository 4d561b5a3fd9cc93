import Diagnosis
import Foundation

extension FindingBaseline {
    /// Reads the file at `path`.
    ///
    /// - Throws: ``Failure`` where it cannot be read, or has a line that is not one of a baseline.
    init(path: String) throws(Failure) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(path) cannot be read; check the name")
        }
        do throws(Mistake) {
            try self.init(parsing: String(decoding: data, as: UTF8.self))
        } catch {
            throw Failure(.data, "\(path):\(error.line): a line is a rule and a fingerprint")
        }
    }

    /// The baseline of these findings.
    static func text(_ findings: [Finding]) -> String {
        var lines: [String: String] = [:]
        for finding in findings {
            let line = "\(finding.rule.id) \(fingerprint(finding))"
            if lines[line] == nil {
                lines[line] = ListLine.clean(finding.detail).replacing("#", with: "")
            }
        }
        return "# Known findings: rule, fingerprint, and the message of one of them.\n"
            + lines.sorted { $0.key < $1.key }.map { "\($0.key) # \($0.value)\n" }.joined()
    }
}
