import HTTPLayer
import Replaying
import Sessions
import SyncClients
import Trace
import Wire

extension RecordedSession {
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
}
