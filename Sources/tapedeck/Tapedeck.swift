import ArgumentParser
import Foundation
import Sessions
import Trace

/// The command line.
@main
struct Tapedeck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tapedeck",
        abstract: "Record, understand and replay the traffic of apps that sync.",
        discussion: """
            Proxies the traffic between a client and its server, stores every byte in a SQLite \
            trace and shows the conversation in the terms of its protocol: CommCare and OpenRosa \
            over HTTP, Simperium over a WebSocket.

            Examples:
              tapedeck record app.tape -- ./run-tests
              tapedeck ls app.tape 'status>=400'
              tapedeck diagnose app.tape

            Topics, which tapedeck help TOPIC explains:
            \(HelpTopic.list)
            """,
        version: Program.version,
        subcommands: [
            RecordCommand.self, ListCommand.self, ShowCommand.self, TailCommand.self,
            RebuildCommand.self, CACommand.self, ServeCommand.self, SimperiumGroup.self,
            OpenRosaGroup.self, ClientGroup.self, FaultsGroup.self, ReplayGroup.self,
            DiffCommand.self, SendCommand.self, StateCommand.self, ExportCommand.self,
            ImportCommand.self,
            SniffCommand.self, MinimizeCommand.self, DiagnoseCommand.self, CertifyGroup.self,
            ReproduceCommand.self, RetestCommand.self, HoldCommand.self, AddonCommand.self,
            DoctorCommand.self, InspectCommand.self, RedirectCommand.self, MCPCommand.self,
            ShipCommand.self, MergeCommand.self, PullCommand.self, FleetGroup.self,
        ])

    /// The failure that the user sees of an error; nil for those of the command line's parser.
    private static func failure(_ error: any Error) -> Failure? {
        switch error {
        case let failure as Failure: failure
        case let error as TraceError: Failure(error)
        case let error as SessionError: Failure(error)
        default: nil
        }
    }

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        #if os(Linux)
        IsolatedCommand.runIfAsked(arguments)
        #endif
        do {
            if let text = try help(arguments) {
                StandardOutput.write(text)
            } else {
                try await parseAndRun()
            }
            StandardOutput.finish()
        } catch {
            end(with: error, arguments)
        }
    }

    /// The topic that is asked for; nil for what the parser takes.
    private static func help(_ arguments: [String]) throws(Failure) -> String? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        if let text = try HelpTopic.text(arguments, commands: names) { return text }
        if let mistake = NegationHint.failure(arguments) { throw mistake }
        if let mistake = CommandWords.mistake(in: arguments, of: Self.self) { throw mistake }
        return nil
    }

    /// Runs the command: one that never waits for a task on the main thread, which no task needs.
    @MainActor
    private static func parseAndRun() async throws {
        var command = try await asyncParseAsRoot()
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    /// Prints an error and exits with its status.
    private static func end(with error: any Error, _ arguments: [String]) -> Never {
        Pager.finish()
        let known = failure(error)
        if let known { StandardError.write("tapedeck: \(known.detail)\n") }
        let isUsage = known == nil && exitCode(for: error) == .validationFailure
        if isUsage {
            let line = CommandWords.usage(message(for: error), arguments, of: Self.self)
            StandardError.write("tapedeck: \(line)\n")
        }
        StandardOutput.finish()
        if let known { Foundation.exit(known.status.rawValue) }
        if isUsage { Foundation.exit(Failure.Status.usage.rawValue) }
        exit(withError: error)
    }
}

/// Facts about the program.
enum Program {
    /// Version of the program, as a trace names it.
    static let version = "0.1.0"
}
