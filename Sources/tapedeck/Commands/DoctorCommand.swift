import ArgumentParser
import Foundation
import Platform

/// `tapedeck doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what recording needs, and say what to do.",
        discussion: """
            Looks at the certificate authority, proxy variables, ports, rights for sniff, disk, \
            limits and versions; changes nothing. Exits with status 1 if something failed; \
            warnings are about what some uses need.

            Examples:
              tapedeck doctor
              tapedeck doctor app.tape
            """)

    @Argument(help: "A trace to check, too.", completion: .file())
    var trace: String?

    @Flag(help: "Print an object per line.")
    var json = false

    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let all = examinations()
        let width = all.map(\.name.count).max() ?? 0
        for one in all {
            StandardOutput.write(
                json
                    ? one.json + "\n"
                    : one.text(width: width, hasColour: StandardOutput.hasColour))
        }
        let failed = all.count { $0.state == .failed }
        guard failed == 0 else {
            throw Failure(
                .failed, "\(failed) of \(Summary.count(Int64(all.count), "check")) failed")
        }
    }

    private func examinations() -> [Examination] {
        var all = MachineExaminations.versions(trace: trace)
        all += EnvironmentExaminations.all(
            ProcessInfo.processInfo.environment, program: Processes.ownPath,
            isReadable: { FileManager.default.isReadableFile(atPath: $0) },
            answers: MachineExaminations.answers)
        if let directory = try? authority.path() {
            all += MachineExaminations.authority(
                directory: directory, nowSeconds: Int64(Date().timeIntervalSince1970))
        }
        all += MachineExaminations.ports()
        all.append(MachineExaminations.capture())
        all.append(MachineExaminations.disk(folder))
        all.append(MachineExaminations.descriptors())
        return all
    }

    /// The folder where a trace would be.
    private var folder: String {
        guard let trace else { return FileManager.default.currentDirectoryPath }
        return URL(fileURLWithPath: trace).deletingLastPathComponent().path
    }
}
