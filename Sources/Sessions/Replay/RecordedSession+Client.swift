package import Replaying
package import Trace
internal import Wire

extension RecordedSession {
    /// The part that a replayed client plays: all exchanges and WebSockets.
    ///
    /// - Parameter isVerbatim: Whether what the recorded server never received is played as well.
    /// - Returns: The steps, and their exchanges.
    package func clientPart(
        isVerbatim: Bool
    ) -> (session: ReplaySession, exchanges: [RecordedExchange]) {
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

    /// Connections that are not played, as they were upgraded to something else than a WebSocket.
    package var otherUpgrades: Int { upgrades.count - transports.count - conversations.count }

    /// Addresses that recorded clients used as the server's.
    package func listeners() throws(TraceError) -> [String] {
        try ReplayReader(path: path).listeners()
    }
}

extension ReplayMessage {
    /// The response as the server sent it: a reverse proxy put its own name into `Location`.
    ///
    /// - Parameters:
    ///   - listeners: Addresses that recorded clients used as the server's.
    ///   - host: The server's name, as the request has it.
    /// - Returns: The response.
    package func restored(_ listeners: Set<String>, host: String?) -> ReplayMessage {
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
