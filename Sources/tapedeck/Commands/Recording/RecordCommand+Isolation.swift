import Foundation
import Interception
import Proxying

/// A command whose network is its own.
extension RecordCommand {
    /// A command that waits in its network, and the files that it is to trust.
    struct IsolatedRun {
        let network: Isolation
        let folder: TrustFolder
    }

    /// Prepares the command where that is asked for; nil where not.
    func isolated(trusting authority: CertificateAuthority) throws(Failure) -> IsolatedRun? {
        guard isolate, let program = command.command.first,
            let path = ClientProcess.path(of: program)
        else { return nil }
        let folder = try TrustFolder(authority)
        var environment = environment(ports: [])
        environment.trust = folder.files
        do throws(Failure) {
            let network = try Isolation(
                path, arguments: command.command,
                environment: environment.variables(over: ProcessInfo.processInfo.environment))
            return IsolatedRun(network: network, folder: folder)
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Answers the command's questions for names, where its network is its own.
    func answer(
        _ network: Isolation?, _ configuration: ProxyConfiguration
    ) async throws(ProxyError) -> [NameServer] {
        guard let network else { return [] }
        let given = Set(configuration.outward.answers.compactMap(\.host))
        let isGivenForAll = configuration.outward.answers.contains { $0.host == nil }
        let hasProxy = configuration.listeners.contains { !$0.relay.upstream.rules.isEmpty }
        var servers: [NameServer] = []
        for socket in network.questions {
            let server = try await NameServer.start(socket, configuration.names) { name in
                // Who is behind another proxy may know no names at all.
                isGivenForAll || hasProxy || given.contains(name) || OwnPage.hosts.contains(name)
            }
            servers.append(server)
        }
        return servers
    }
}
