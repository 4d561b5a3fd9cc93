import ArgumentParser

/// `tapedeck faults`: control the faults of a running proxy.
struct FaultsGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract: "Control the faults of a running proxy; check plans.",
        discussion: """
            TRACE is the trace that tapedeck record writes to; beside it, as TRACE.control, is the \
            socket that these commands use.
            """,
        subcommands: [
            FaultsListCommand.self, FaultsAddCommand.self, FaultsChangeCommand.self,
            FaultsRemoveCommand.self, FaultsPauseCommand.self, FaultsResumeCommand.self,
            FaultsResetCommand.self, FaultsMarkCommand.self, FaultsMarksCommand.self,
            FaultsFireCommand.self, FaultsConnectionsCommand.self, FaultsReloadCommand.self,
            FaultsPacksCommand.self, FaultsCheckCommand.self, FaultsSchemaCommand.self,
            FaultsReportCommand.self,
        ])
}
