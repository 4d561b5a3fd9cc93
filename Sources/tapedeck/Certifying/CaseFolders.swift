import Certification
import Foundation

/// The folders of scenarios, with what a client needs to play them.
struct CaseFolders: Sendable {
    /// Where they are.
    let root: String

    /// Makes the folder of a scenario, in place of one of an earlier run.
    ///
    /// - Returns: Its absolute path.
    func make(_ scenario: Scenario) throws(CertificationError) -> String {
        let folder = URL(fileURLWithPath: "\(root)/\(scenario.id)").path
        let files = FileManager.default
        let script = "\(folder)/script.jsonl"
        if files.fileExists(atPath: folder) {
            // Only files that Tapedeck made are deleted.
            guard files.fileExists(atPath: script) else {
                throw CertificationError(
                    "\(folder) exists and is not a scenario folder; choose another --output")
            }
            try namingFolder(folder) { try files.removeItem(atPath: folder) }
        }
        try namingFolder(folder) {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(scenario.json(bucket: Suite.bucket, folder: folder).utf8)
                .write(to: URL(fileURLWithPath: script))
            for file in scenario.files {
                try Data(file.content).write(to: URL(fileURLWithPath: "\(folder)/\(file.name)"))
            }
        }
        return folder
    }

    private func namingFolder(
        _ folder: String, _ body: () throws -> Void
    ) throws(CertificationError) {
        do { try body() } catch {
            throw CertificationError("\(folder) cannot be made: \(error.localizedDescription)")
        }
    }
}
