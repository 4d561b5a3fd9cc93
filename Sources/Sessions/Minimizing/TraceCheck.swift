internal import Dispatch
internal import Foundation
internal import Notation
internal import Platform

/// The command that checks whether a trace still shows the problem.
package struct TraceCheck: Sendable {
    /// The outcome of the command.
    package enum Outcome: Hashable, Sendable {
        /// It ended with this status.
        case status(Int32)
        /// A signal of this number ended it.
        case signal(Int32)
        /// It did not end in time.
        case late
    }

    /// As a shell takes it; `{}` is the path of the trace, quoted.
    package let command: String
    /// Seconds after which it is ended.
    package let patience: Double

    /// A check by `command`, which is ended after `patience` seconds.
    package init(command: String, patience: Double) {
        self.command = command
        self.patience = patience
    }

    /// Runs the command on the trace at `path`, without input and output.
    ///
    /// The path is in the environment as well, as `TAPEDECK_TRACE`. Blocks until it has ended.
    package func run(on path: String) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command.replacing("{}", with: ShellWord.quoted(path))]
        var environment = ProcessInfo.processInfo.environment
        environment["TAPEDECK_TRACE"] = path
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        guard ended.wait(timeout: .now() + patience) == .success else {
            // It leads a separate process group, so that its child processes end with it.
            kill(-process.processIdentifier, SIGKILL)
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
            return .late
        }
        return process.terminationReason == .exit
            ? .status(process.terminationStatus) : .signal(process.terminationStatus)
    }
}

extension TraceCheck.Outcome {
    /// What a shell says with this status of a command that it cannot run; nil for all others.
    ///
    /// Source: POSIX.1-2024, Shell Command Language, 2.8.2.
    package var commandProblem: String? {
        switch self {
        case .status(127): "the shell found no such command (exit status 127)"
        case .status(126): "the command is not executable (exit status 126)"
        default: nil
        }
    }
}

extension TraceCheck.Outcome: CustomStringConvertible {
    /// The outcome as a phrase.
    package var description: String {
        switch self {
        case .status(let status): "exit status \(status)"
        case .signal(let signal): "signal \(signal)"
        case .late: "no end in time"
        }
    }
}
