import Certification
import Foundation
import Synchronization

/// A client under test that is a program.
final class ClientProcess: TestedClient {
    private let process: Process
    private let status = Ending()

    /// How it ended; nil while it runs.
    private final class Ending: Sendable {
        let detail = Mutex<String?>(nil)
    }

    /// Starts a program; its output is written to `log`.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - environment: Added to that of this process.
    ///   - log: A file that is created.
    /// - Throws: ``CertificationError`` where it cannot be started.
    init(
        _ command: [String], environment: [String: String], log: String
    ) throws(CertificationError) {
        guard let program = command.first, let path = Self.path(of: program) else {
            throw CertificationError("there is no program \(command.first ?? "")")
        }
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let file = FileHandle(forWritingAtPath: log)
        else { throw CertificationError("\(log) cannot be written") }
        process.standardOutput = file
        process.standardError = file
        process.terminationHandler = { [status] process in
            let detail =
                process.terminationReason == .exit
                ? "ended with \(process.terminationStatus)"
                : "was ended by signal \(process.terminationStatus)"
            status.detail.withLock { $0 = detail }
        }
        do { try process.run() } catch {
            throw CertificationError(
                "\(program) cannot be started: \(error.localizedDescription)")
        }
        try? file.close()
    }

    /// Where a program is; nil where there is none of this name.
    static func path(of program: String) -> String? {
        if program.contains("/") {
            return FileManager.default.isExecutableFile(atPath: program) ? program : nil
        }
        let folders = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin:/bin"]
        return folders.split(separator: ":").map { "\($0)/\(program)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    func ending() -> String? { status.detail.withLock { $0 } }

    func stop() async -> String {
        for number in [SIGTERM, SIGKILL] {
            guard ending() == nil else { break }
            // It leads a separate process group, so that its child processes end with it.
            kill(-process.processIdentifier, number)
            kill(process.processIdentifier, number)
            for _ in 0..<30 where ending() == nil {
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        return "was ended: its time limit had passed"
    }
}

/// A client under test that an operator handles.
struct DeviceClient: TestedClient {
    func ending() -> String? { nil }

    func stop() async -> String { "was still connected when its time limit had passed" }
}
