import Foundation
import Proxying

/// A recording that lasts as long as a command.
extension RecordCommand {
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

    /// Waits for what the command sent before it ended, which may not have been read yet, nor its
    /// connection accepted: until all are closed, and not for those of programs that it left behind.
    func lastBytes(of proxy: ProxyServer) async {
        for _ in 0..<50 {
            guard await proxy.hasClients() else { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
