import ArgumentParser

/// `tapedeck client`: the clients of both protocols.
struct ClientGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Be a client of a CommCare or a Simperium server.",
        subcommands: [ClientCommCareCommand.self, ClientSimperiumCommand.self])
}
