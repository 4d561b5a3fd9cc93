import Faults
import Wire

@testable import Proxying

/// What the proxy keeps of one connection, apart from sockets: a relay and its judge.
struct JudgedRelay {
    /// Something that happened, and when.
    struct Entry {
        /// The how many-th connection of its client, from 0.
        let connection: Int
        /// What happened; nil where the client connected.
        let event: RelayEvent?
        let at: Instant
    }

    private final class Legs {
        var next: Int64
        init(_ next: Int64) { self.next = next }
    }

    static let server = ServerAddress(host: "simperium.example", port: 80, isTLS: false)

    private var relay: Relay
    private var judge: ConnectionJudge
    let clientLeg: LegID

    init(client: Int, connection: Int, session: FaultSession) {
        // Numbers that do not depend on what other clients do.
        let id = Int64(client + 1) * 10_000 + Int64(connection)
        let legs = Legs(id * 10)
        clientLeg = LegID(id * 10)
        relay = Relay(
            connection: ConnectionRow(
                id: ConnectionID(id), at: .zero, listener: "127.0.0.1:80",
                client: "10.0.0.\(client + 1):5000", mode: .reverse),
            clientLeg: LegRow(
                id: clientLeg, connection: ConnectionID(id), peer: .client, at: .zero,
                host: "10.0.0.\(client + 1)", port: 5000),
            settings: RelaySettings(mode: .reverse(Self.server))
        ) {
            legs.next += 1
            return LegID(legs.next)
        }
        judge = ConnectionJudge(session, sessionID: SessionID(1))
    }

    /// Takes what happened and says what to do.
    mutating func take(_ entry: Entry) -> [RelayCommand] {
        var commands: [RelayCommand] = []
        if let event = entry.event {
            judge.handle(event, at: entry.at, relay: &relay, into: &commands)
        } else {
            judge.accepted(at: entry.at, relay: &relay, into: &commands)
        }
        return commands
    }

    /// The statements about faults among commands.
    static func rows(in commands: [RelayCommand]) -> [FaultRow] {
        commands.compactMap { if case .record(.fault(let row)) = $0 { row } else { nil } }
    }
}
