import ArgumentParser

/// `tapedeck client`: the built-in clients of both protocols.
struct ClientGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Run a built-in client: CommCare, Simperium, or the HTTP layer alone.",
        subcommands: [
            ClientCommCareCommand.self, ClientSimperiumCommand.self, ClientHTTPCommand.self,
        ])
}
