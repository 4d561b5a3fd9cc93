import ArgumentParser

/// `tapedeck client`: the built-in clients of both protocols.
struct ClientGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Run the built-in client against a CommCare or a Simperium server.",
        subcommands: [ClientCommCareCommand.self, ClientSimperiumCommand.self])
}
