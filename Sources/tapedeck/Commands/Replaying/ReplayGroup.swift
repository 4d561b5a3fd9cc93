import ArgumentParser

/// `tapedeck replay`: either side of a recorded session.
struct ReplayGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play the server or the client of a recorded session.",
        subcommands: [ReplayServerCommand.self, ReplayClientCommand.self])
}
