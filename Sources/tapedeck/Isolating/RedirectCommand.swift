import ArgumentParser
import Foundation

/// `tapedeck redirect`.
struct RedirectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redirect",
        abstract:
            "Print or make the rules that redirect connections to a transparent listener (Linux).",
        discussion: """
            The rules are for nftables: `nft -f` reads them, as root. What is redirected are the \
            connections of a user or group of this machine, or those that come in by an \
            interface or from a network namespace. Run tapedeck itself as another user, or its own \
            connections come back to it. With --apply they are made, and taken back at the end.

            Examples:
              tapedeck redirect --port 8080 --user app | sudo nft -f -
              sudo tapedeck redirect --port 8080 --namespace client --tproxy --apply
              sudo tapedeck redirect --remove --apply
            """)

    @Option(
        help: "Port of the listener that `record --listen transparent:PORT` or `tproxy:PORT` has.")
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

    @Option(
        help: ArgumentHelp(
            "Redirect the connections of this network namespace (ip netns), which come in by the interfaces that lead into it; may be repeated.",
            valueName: "name"))
    var namespace: [String] = []

    @Flag(
        help:
            "For a listener of `record --listen tproxy:PORT`, to which connections come with their addresses unchanged; prints commands for a shell."
    )
    var tproxy = false

    @Flag(
        help:
            "Make the rules, wait, and take them back at SIGINT or SIGTERM; with --remove, take back those of an earlier run (root)."
    )
    var apply = false

    @Flag(help: "Print what takes the rules back.")
    var remove = false

    func run() async throws {
        if apply, geteuid() != 0 {
            throw Failure(
                .unavailable,
                "--apply needs root: use sudo, or give what is printed without it to \(tproxy ? "sh" : "nft -f -")"
            )
        }
        if remove { return try takeBack() }
        let rules = try rules()
        guard apply else {
            return StandardOutput.write(
                tproxy ? rules.steps.map(\.script).joined() : rules.text)
        }
        let signal = StopSignal()
        do throws(Failure) {
            for step in rules.steps { try step.run() }
        } catch {
            for step in RedirectRules.removalSteps { try? step.run() }
            throw error
        }
        StandardOutput.write(
            "\(rules.summary)\nSIGINT or SIGTERM takes it back; afterwards: tapedeck redirect --remove --apply\n"
        )
        await signal.wait()
        for step in RedirectRules.removalSteps { try step.run() }
        StandardOutput.write("taken back\n")
    }

    private func takeBack() throws(Failure) {
        guard apply else {
            return StandardOutput.write(
                tproxy
                    ? RedirectRules.removalSteps.map(\.script).joined() : RedirectRules.removal)
        }
        for step in RedirectRules.removalSteps { try step.run() }
        StandardOutput.write("taken back\n")
    }

    /// The rules that are asked for.
    private func rules() throws(Failure) -> RedirectRules {
        guard let port, (1...65535).contains(port) else {
            throw Failure(
                .usage,
                "--port PORT is needed: that of record --listen \(tproxy ? "tproxy" : "transparent"):PORT"
            )
        }
        for name in user + group + interface + namespace
        where name.isEmpty
            || !name.allSatisfy({
                $0.isASCII && ($0.isLetter || $0.isNumber || "._-@".contains($0))
            })
        {
            throw Failure(
                .usage, "\(name) is no name of a user, group, interface or network namespace")
        }
        guard server.allSatisfy({ (1...65535).contains($0) }) else {
            throw Failure(.usage, "--server PORT: a port is between 1 and 65535")
        }
        guard !tproxy || !server.contains(port) else {
            throw Failure(
                .usage,
                "--server \(port) is the listener's own port, which TPROXY cannot tell apart; choose another for it"
            )
        }
        var sources =
            user.map(RedirectRules.Source.user) + group.map(RedirectRules.Source.group)
            + interface.map(RedirectRules.Source.interface)
        for name in namespace {
            sources += try NamespaceLinks.interfaces(into: name)
                .map(RedirectRules.Source.interface)
        }
        guard !sources.isEmpty else {
            throw Failure(
                .usage,
                "whose connections? Name a --user, a --group, an --interface or a --namespace")
        }
        return RedirectRules(
            sources: sources, ports: server, listener: port, way: tproxy ? .tproxy : .redirect)
    }
}
