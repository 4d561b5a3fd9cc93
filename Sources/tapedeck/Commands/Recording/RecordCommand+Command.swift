import Foundation
import Proxying

/// A recording that lasts as long as a command.
extension RecordCommand {
    /// The address to listen on.
    var address: ListenAddress { command.address(listen, port: 8080) }

    /// Refuses what is no name of a host, and so matches none.
    func checkHosts() throws(Failure) {
        for (option, names) in [("--only", only), ("--passthrough", passthrough), ("--host", host)]
        {
            guard let name = names.first(where: { $0.contains("/") || $0.contains(" ") }) else {
                continue
            }
            let url = URL(string: name)?.host ?? "example.org"
            throw Failure(
                .usage, "\(option) \(name) is no name of a host; write \(option) \(url)")
        }
    }

    /// What the command has to know, once the port is known.
    func environment(port: Int) -> CommandEnvironment {
        let place = CommandEnvironment.reachable(address.host, port)
        var environment = CommandEnvironment()
        if to == nil { environment.proxy = place } else { environment.server = place }
        environment.more["TAPEDECK_TRACE"] = URL(fileURLWithPath: trace).path
        return environment
    }

    /// Waits for what the command sent before it ended, which may not have been read yet: until its
    /// connections are closed, and not for those of programs that it left behind.
    func lastBytes(of proxy: ProxyServer) async {
        for _ in 0..<50 {
            guard await !proxy.openConnections().isEmpty else { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
