internal import Simperium
internal import Wire

extension Harness {
    /// Says what is in the lines to a server, from two clients; the first byte of a line chooses.
    static let server = Harness(name: "server", longest: 8192) { bytes in
        var options = ServerOptions()
        options.bucket.bytes = 20_000
        options.bucket.objects = 20
        options.bucket.objectBytes = 500
        options.bucket.loggedChanges = 5
        options.bucket.newestVersions = 3
        var server = ServerModel(options: options, seed: 1)
        let clients = [SocketID(1), SocketID(2)]
        for client in clients { server.open(client) }
        for line in Input.messages(bytes, most: 100) {
            guard let mark = line.first else { continue }
            let client = clients[mark == UInt8(ascii: "2") ? 1 : 0]
            let replies = server.receive(text: Array(line.dropFirst()), from: client)
            for (session, message) in replies.flatMap(\.messages) {
                demand(clients.contains(session), "only who is there is spoken to")
                let written = message.encoded(by: .server)
                let command = SimperiumCommand.parse(written, from: .server)
                demand(
                    command.problem == nil,
                    "what a server says can be read: \(String(decoding: written, as: UTF8.self))")
            }
        }
        for client in clients { server.close(client) }
        demand(server.sessionCount == 0, "who is gone is gone")
    }
}
