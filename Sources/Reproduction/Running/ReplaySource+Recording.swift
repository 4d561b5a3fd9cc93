internal import Replaying
package import Sessions
internal import Simperium
package import SyncServers
package import Trace
internal import Wire

extension ReplaySource {
    /// What a replayed server reads of a recording that was opened for replay.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    package init(_ session: RecordedSession) throws(TraceError) {
        let listeners = try ReplayReader(path: session.path).listeners()
        let ahead = try ReadAhead(session)
        var upgrades: [ExchangeID: SimperiumEndpoint.Transport] = [:]
        for (exchange, connection) in session.upgrades {
            guard let transport = session.transports[connection] else { continue }
            upgrades[exchange] = transport.kind == .sockJS ? .sockJS : .webSocket
        }
        self.init(
            exchanges: session.exchanges, upgrades: upgrades, commands: session.commands,
            sockets: session.sockets, conversations: session.conversations,
            listeners: Set(listeners),
            message: { ahead.message($0, $1) }, response: { ahead.response($0) },
            text: { session.text($0) }, payload: { session.payload($0) })
    }
}
