import Foundation

/// Reports as JUnit's XML: their content, and where `--junit` writes them.
enum JUnitFile {
    /// Writes `report` to the file at `path`, or to standard output for `-`.
    static func write(_ report: String, to path: String) throws(Failure) {
        guard path != "-" else { return StandardOutput.write(report) }
        do {
            try Data(report.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw Failure(.io, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
