import Foundation

/// Reports as JUnit's XML: what stands in them, and where `--junit` puts them.
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

    /// Text as it stands in XML, also in an attribute; what XML cannot carry becomes a question
    /// mark.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
