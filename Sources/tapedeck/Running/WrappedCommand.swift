import ArgumentParser
import Foundation
import Interception
import Platform

/// `-- COMMAND…` of what listens: it listens as long as the command runs.
struct WrappedCommand: ParsableArguments {
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "Run this with the variables of proxies, trust and addresses, and stop when it ends.",
            valueName: "command"))
    var command: [String] = []

    /// Whether there is one.
    var isGiven: Bool { !command.isEmpty }

    /// Prepares the outputs; with a command standard output is the command's own.
    ///
    /// - Throws: ``Failure`` where there is no such program.
    func begin(_ work: String) throws(Failure) {
        InheritedFiles.remember()
        StandardOutput.detach(work, isOthers: isGiven)
        if let program = command.first, ClientProcess.path(of: program) == nil {
            throw Failure(.usage, "there is no program \(program); check the name after --")
        }
    }

    /// The address to listen on: the given one, else with a command any free port, since nobody has
    /// to know it.
    func address(_ given: ListenAddress?, port: Int) -> ListenAddress {
        given ?? ListenAddress(host: "127.0.0.1", port: isGiven ? 0 : port)
    }

    /// Runs the command to its end, or waits for a signal without one.
    ///
    /// - Parameters:
    ///   - environment: Where the command finds us.
    ///   - authority: What it has to trust; nil for nothing.
    ///   - signal: Whose signals the command gets.
    /// - Returns: How it ended.
    func run(
        _ environment: CommandEnvironment, trusting authority: CertificateAuthority?,
        _ signal: StopSignal
    ) async -> CommandOutcome {
        guard let program = command.first, let path = ClientProcess.path(of: program) else {
            await signal.wait()
            return .notGiven
        }
        var environment = environment
        InheritedFiles.closeOthers()
        let child: ChildProcess
        let folder: TrustFolder?
        do throws(Failure) {
            folder = try authority.map { authority throws(Failure) in try TrustFolder(authority) }
        } catch { return .notStarted(error) }
        defer { folder?.remove() }
        environment.trust = folder?.files
        do throws(ChildProcess.NotStarted) {
            child = try ChildProcess(
                path, arguments: command,
                environment: environment.variables(over: ProcessInfo.processInfo.environment))
        } catch {
            return .notStarted(
                Failure(
                    .usage, "\(program) cannot be started: \(String(cString: strerror(error.code)))"
                ))
        }
        return await ending(of: child, program, signal)
    }

    /// Has a command begin that waits in a network of its own, and waits for its end.
    ///
    /// - Parameters:
    ///   - network: Where it waits.
    ///   - signal: Whose signals it gets.
    /// - Returns: How it ended.
    func run(_ network: Isolation, _ signal: StopSignal) async -> CommandOutcome {
        network.begin()
        return await ending(of: network.process, command.first ?? "", signal)
    }

    private func ending(
        of child: ChildProcess, _ program: String, _ signal: StopSignal
    ) async -> CommandOutcome {
        let ending = await signal.passing(to: child)
        switch ending {
        case .exited(0): break
        case .exited(let status):
            StandardError.warn("\(program) exited with status \(status)")
        case .signalled(let number):
            StandardError.warn(
                "\(program) was ended by signal \(number) (\(String(cString: strsignal(number))))")
        }
        return .ended(ending)
    }
}

/// What became of a command.
enum CommandOutcome {
    /// There is none.
    case notGiven
    /// It could not be started.
    case notStarted(Failure)
    /// It ended.
    case ended(ChildProcess.Ending)

    /// Sets the exit status: that of the command unless it is 0, then that of the verdicts.
    ///
    /// - Parameter verdict: What was found wrong meanwhile; nil for nothing.
    /// - Throws: What sets the status.
    func check(_ verdict: Failure?) throws {
        switch self {
        case .notStarted(let failure): throw failure
        case .ended(let ending) where ending.status != 0:
            if let verdict { StandardError.warn(verdict.detail) }
            throw ExitCode(ending.status)
        case .ended, .notGiven:
            if let verdict { throw verdict }
        }
    }
}
