import ArgumentParser

/// `tapedeck redirect`.
struct RedirectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redirect",
        abstract: "Print the rules that redirect connections to a transparent listener (Linux).",
        discussion: """
            The rules are for nftables: `nft -f` reads them, as root. What is redirected are the \
            connections of a user or group of this machine, or those that come in by an \
            interface. Run tapedeck itself as another user, or its own connections come back to it.

            Examples:
              tapedeck redirect --port 8080 --user app | sudo nft -f -
              tapedeck redirect --remove | sudo nft -f -
            """)

    @Option(help: "Port of the listener that `record --listen transparent:PORT` has.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "Redirect the connections of this user; may be repeated.", valueName: "name"))
    var user: [String] = []

    @Option(
        help: ArgumentHelp(
            "Redirect the connections of this group; may be repeated.", valueName: "name"))
    var group: [String] = []

    @Option(
        help: ArgumentHelp(
            "Redirect the connections that come in by this interface, of devices behind it; may be repeated.",
            valueName: "name"))
    var interface: [String] = []

    @Option(
        help: ArgumentHelp(
            "Redirect connections to this port of servers alone (default: all); may be repeated.",
            valueName: "port"))
    var server: [Int] = []

    @Flag(help: "Print what takes the rules back.")
    var remove = false

    func run() throws {
        if remove { return StandardOutput.write(RedirectRules.removal) }
        guard let port, (1...65535).contains(port) else {
            throw Failure(.usage, "--port PORT is needed: that of record --listen transparent:PORT")
        }
        let sources =
            user.map(RedirectRules.Source.user) + group.map(RedirectRules.Source.group)
            + interface.map(RedirectRules.Source.interface)
        guard !sources.isEmpty else {
            throw Failure(
                .usage, "whose connections? Name a --user, a --group or an --interface")
        }
        for name in user + group + interface
        where name.isEmpty
            || !name.allSatisfy({
                $0.isASCII && ($0.isLetter || $0.isNumber || "._-@".contains($0))
            })
        {
            throw Failure(.usage, "\(name) is no name of a user, group or interface")
        }
        guard server.allSatisfy({ (1...65535).contains($0) }) else {
            throw Failure(.usage, "--server PORT: a port is between 1 and 65535")
        }
        StandardOutput.write(
            RedirectRules(sources: sources, ports: server, listener: port).text)
    }
}
