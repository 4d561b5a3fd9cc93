internal import Notation
internal import Trace
internal import Wire

/// Which clients have connected, by their addresses, and whether they can be recorded.
struct ClientsReport {
    /// The connections and events of any kind that are looked at, the last of each.
    private static let mostConnections = 20_000
    private static let mostEvents = 100_000
    /// The most clients, those that connected last.
    private static let mostClients = 100

    fileprivate struct Client {
        var connections = 0
        var last = ConnectionID(0)
        var lastAt: Int64 = 0
        var listeners: Set<String> = []
        var secured = 0
        var failed = 0
        var passed = 0
        var unreachable = 0
        var tls: (event: ClientEvent, at: Int64)?
        var refused: (event: ClientEvent, at: Int64)?
    }

    /// The object of `openapi.json`.
    let json: String

    init(_ reader: TraceReader) throws(TraceError) {
        let clock = TraceClock(try reader.sessions())
        let connections = try reader.lastConnections(limit: Self.mostConnections)
        var clients: [String: Client] = [:]
        var names: [ConnectionID: String] = [:]
        var listeners: [String: String] = [:]
        for (session, row) in connections {
            let name = Self.host(row.client)
            names[row.id] = name
            listeners[row.listener] = row.mode.rawValue
            var client = clients[name] ?? Client()
            client.connections += 1
            client.last = row.id
            client.lastAt = clock.nanoseconds(row.at, in: session)
            client.listeners.insert(row.listener)
            clients[name] = client
        }
        let first = connections.first?.row.id ?? ConnectionID(0)
        for event in try reader.clientEvents(from: first, limit: Self.mostEvents) {
            guard let name = names[event.connection] else { continue }
            clients[name]?.add(event, at: clock.nanoseconds(event.at, in: event.session))
        }
        let latest = clients.sorted { $0.value.last > $1.value.last }.prefix(Self.mostClients)
        var items: [String] = []
        for (name, client) in latest {
            let head = try reader.lastRequestHead(of: client.last)
            items.append(Self.object(name, client, agent: head.flatMap(Self.agent)))
        }
        var object = JSONObjectText()
        object.add("clients", raw: "[\(items.joined(separator: ","))]")
        object.add("clients_left_out", Int64(clients.count - latest.count))
        let places = listeners.sorted { $0.key < $1.key }.map { address, mode in
            var object = JSONObjectText()
            object.add("address", address)
            object.add("mode", mode)
            return object.text
        }
        object.add("listeners", raw: "[\(places.joined(separator: ","))]")
        json = object.text
    }

    private static func object(_ name: String, _ client: Client, agent: String?) -> String {
        var object = JSONObjectText()
        object.add("client", name)
        object.add("agent", agent)
        object.add("connections", Int64(client.connections))
        object.add("last_connection_id", client.last.rawValue)
        object.add("last_ns", client.lastAt)
        object.add("listeners", texts: client.listeners.sorted())
        object.add("tls", Int64(client.secured))
        object.add("tls_failed", Int64(client.failed))
        object.add("passthrough", Int64(client.passed))
        object.add("refused", Int64(client.unreachable))
        object.add("last_tls", raw: client.tls.map(Self.object) ?? "null")
        object.add("last_refused", raw: client.refused.map(Self.object) ?? "null")
        return object.text
    }

    private static func object(_ found: (event: ClientEvent, at: Int64)) -> String {
        var object = JSONObjectText()
        object.add("kind", found.event.kind)
        object.add("detail", found.event.detail)
        object.add("connection_id", found.event.connection.rawValue)
        object.add("at_ns", found.at)
        return object.text
    }

    /// An address without its port, which differs with every connection.
    private static func host(_ address: String) -> String {
        address.lastIndex(of: ":").map { String(address[..<$0]) } ?? address
    }

    /// What a request says of the program that sent it.
    private static func agent(_ head: [UInt8]) -> String? {
        let name = "user-agent:"
        let line = head.split { $0 == 0x0A || $0 == 0x0D }
            .lazy.map { String(decoding: $0.prefix(1_000), as: UTF8.self) }
            .first { $0.prefix(name.count).lowercased() == name }
        return line.map { String($0.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }) }
    }
}

extension ClientsReport.Client {
    /// Takes what happened on a connection of the client.
    fileprivate mutating func add(_ event: ClientEvent, at time: Int64) {
        switch event.kind {
        case "tls" where event.peer == .client:
            secured += 1
            tls = (event, time)
        case "tls-failed" where event.peer == .client:
            failed += 1
            tls = (event, time)
        case "passthrough": passed += 1
        // What fails between Tapedeck and the server keeps the client from being recorded too.
        case "refused", "tls-failed":
            unreachable += 1
            refused = (event, time)
        default: break
        }
    }
}
