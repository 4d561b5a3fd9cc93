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
            """,
        version: Program.version,
        subcommands: [
            RecordCommand.self, ListCommand.self, ShowCommand.self, TailCommand.self,
            RebuildCommand.self, CACommand.self, ServeCommand.self, SimperiumGroup.self,
            OpenRosaGroup.self, ClientGroup.self, FaultsGroup.self, ReplayGroup.self,
            DiffCommand.self, StateCommand.self, ExportCommand.self, ImportCommand.self,
            SniffCommand.self, MinimizeCommand.self, DiagnoseCommand.self, CertifyGroup.self,
            ReproduceCommand.self, RetestCommand.self,
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
        do {
            if let failure = NegationHint.failure(Array(CommandLine.arguments.dropFirst())) {
                throw failure
            }
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            StandardOutput.finish()
        } catch {
            guard let failure = failure(error) else {
                StandardOutput.finish()
                exit(withError: error)
            }
            Pager.finish()
            StandardError.write("tapedeck: \(failure.detail)\n")
            StandardOutput.finish()
            Foundation.exit(failure.status.rawValue)
        }
    }
}

/// Facts about the program.
enum Program {
    /// Version of the program, as a trace names it.
    static let version = "0.1.0"
}
