import HTTPLayer
import Replaying
import Sessions
import SyncClients
import Trace
import Wire

extension RecordedSession {
    /// What of it a replayed client plays: all exchanges and WebSockets.
    ///
    /// - Parameter isVerbatim: Whether what the recorded server never got is played as well.
    /// - Returns: What is played, and the exchanges of it.
    func clientPart(isVerbatim: Bool) -> (session: ReplaySession, exchanges: [RecordedExchange]) {
        let talks = Set(conversations.map(\.exchange))
        let played = exchanges.filter { exchange in
            upgrades[exchange.id].map { transports[$0] != nil || talks.contains(exchange.id) }
                ?? true
        }
        let session = ReplaySession(
            exchanges: played, upgrades: upgrades, commands: Array(commands), sockets: sockets,
            conversations: conversations, isVerbatim: isVerbatim, fetch: { text($0) })
        return (session, played.filter { upgrades[$0.id] == nil })
    }

    /// Connections that are not played, as they went over to something else than a WebSocket.
    var otherUpgrades: Int { upgrades.count - transports.count - conversations.count }

    /// Makes what plays the steps of one client; the clients share a manager of requests.
    ///
    /// - Parameters:
    ///   - exchanges: Those that are played.
    ///   - target: The live server.
    /// - Returns: A function of the live server, with number and seed of the client.
    /// - Throws: ``TraceError`` where the trace cannot be read.
    func clientPlayers(
        _ exchanges: [RecordedExchange], to target: ReplayTarget
    ) throws(TraceError) -> @Sendable (ReplayTarget) -> any StepPlayer {
        let byID = Dictionary(exchanges.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var hosts: [ConnectionID: String] = [:]
        for exchange in self.exchanges {
            if let socket = upgrades[exchange.id] { hosts[socket] = exchange.host }
        }
        let sockets = SocketPlayer.Recording(
            commands: Array(commands), sockets: self.sockets,
            transports: Dictionary(
                uniqueKeysWithValues: transports.map { id, transport in
                    (
                        id,
                        SocketPlayer.Recording.Transport(
                            host: hosts[id] ?? "", path: transport.path)
                    )
                }),
            text: { text($0) })
        let manager = HTTPPlayer.manager(for: target)
        let isVerbatim = target.isVerbatim
        let listeners = try Set(self.listeners().map { $0.lowercased() })
        let recorded: @Sendable (ExchangeID) -> HTTPRecording = { id in
            let request = message(id, .client) ?? ReplayMessage()
            return HTTPRecording(
                request: request, sentBody: isVerbatim ? sentBody(id) : nil,
                response: message(id, .server)?.restored(listeners, host: request.value("host")))
        }
        let talks = ConversationPlayer.Recording(
            conversations, exchanges: self.exchanges.filter { upgrades[$0.id] != nil },
            handshake: recorded,
            payload: { payload($0) })
        return { target in
            let identity = SharedIdentity(
                ReplayIdentity(seed: target.seed, isVerbatim: target.isVerbatim))
            let http = HTTPPlayer(
                exchanges, to: target, identity: identity, manager: manager, recording: recorded)
            return SessionPlayer(
                byID, http: http,
                sockets: SocketPlayer(sockets, target: target, identity: identity),
                conversations: ConversationPlayer(talks, target: target, identity: identity),
                target: target)
        }
    }

    /// Addresses that recorded clients took for the server's.
    private func listeners() throws(TraceError) -> [String] {
        try ReplayReader(path: path).listeners()
    }
}

extension ReplayMessage {
    /// The response as the server sent it: a proxy that took its place had itself named in
    /// `Location`.
    fileprivate func restored(_ listeners: Set<String>, host: String?) -> ReplayMessage {
        guard let host else { return self }
        var message = self
        for (index, field) in fields.enumerated()
        where ["location", "content-location"].contains(field.name.lowercased()) {
            guard let slashes = field.value.firstRange(of: "://") else { continue }
            let end =
                field.value[slashes.upperBound...].firstIndex { "/?#".contains($0) }
                ?? field.value.endIndex
            let authority = field.value[slashes.upperBound..<end]
            guard listeners.contains(authority.lowercased()) else { continue }
            message.fields[index].value =
                field.value[..<slashes.upperBound] + host + field.value[end...]
        }
        return message
    }
}
