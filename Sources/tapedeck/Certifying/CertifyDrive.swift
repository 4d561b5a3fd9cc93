import ArgumentParser
import Certification
import Foundation

/// `tapedeck certify drive`: the built-in client as a COMMAND of `certify`.
struct CertifyDrive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive",
        abstract: "Run the script of a scenario with the built-in client, as a COMMAND of certify.",
        discussion: """
            Reads the environment that certify sets: TAPEDECK_URL, TAPEDECK_SCRIPT and the others.

            Example: tapedeck certify commcare -- tapedeck certify drive
            """)

    @Option(
        help: ArgumentHelp(
            "Seconds to wait for an answer of a Simperium server.", valueName: "seconds"))
    var patience = 15.0

    func run() async throws {
        let path = try value("TAPEDECK_SCRIPT")
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(path) cannot be read; check TAPEDECK_SCRIPT")
        }
        var steps: [Step] = []
        for (number, line) in String(decoding: data, as: UTF8.self).split(separator: "\n")
            .enumerated()
        {
            guard let step = Step(json: String(line)) else {
                throw Failure(.data, "\(path), line \(number + 1) is not a step")
            }
            steps.append(step)
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if let bucket = ProcessInfo.processInfo.environment["TAPEDECK_BUCKET"] {
            try await simperium(steps, bucket, folder)
        } else {
            try await commCare(steps, folder)
        }
    }

    private func value(_ name: String) throws(Failure) -> String {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
            throw Failure(.usage, "\(name) is not set; certify sets it for its COMMAND")
        }
        return value
    }

    private func simperium(_ steps: [Step], _ bucket: String, _ folder: String) async throws {
        let file = "\(folder)/steps.txt"
        do {
            try Data(Scenario.text(steps, bucket: bucket).utf8)
                .write(to: URL(fileURLWithPath: file))
        } catch {
            throw Failure(.io, "\(file) cannot be written: \(error.localizedDescription)")
        }
        let command = try ClientSimperiumRun.parse(
            [
                file, "--to", try value("TAPEDECK_URL"), "--app", try value("TAPEDECK_APP"),
                "--user", try value("TAPEDECK_USER"), "--bucket", bucket,
                "--patience", String(patience), "--verbose",
            ] + (steps.contains(.sockJS) ? ["--sockjs"] : []))
        try await command.run()
    }

    /// Runs the steps in order and goes on after failures, as a user would.
    private func commCare(_ steps: [Step], _ folder: String) async throws {
        var device = DrivenDevice(
            url: try value("TAPEDECK_URL"), domain: try value("TAPEDECK_DOMAIN"),
            user: try value("TAPEDECK_USER"), folder: folder)
        var failure: Failure?
        for step in steps {
            do throws(Failure) {
                try await device.perform(step)
            } catch {
                StandardError.write("tapedeck: \(error.detail)\n")
                failure = error
            }
        }
        if let failure { throw ExitCode(failure.status.rawValue) }
    }
}
