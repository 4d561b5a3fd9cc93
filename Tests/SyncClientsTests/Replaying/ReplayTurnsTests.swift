import Replaying
import Synchronization
import Testing
import Wire

@testable import SyncClients

struct ReplayTurnsTests {
    /// Those of a client whose third command waits for the answer to the first.
    private static func turns() -> ReplayTurns {
        var commands: [RecordedCommand] = []
        for (number, (socket, sender, text))
            in ([
                (1, .client, "0:init:{}"), (1, .server, "0:auth:ann@example.com"),
                (1, .client, "0:i::::10"),
            ] as [(Int64, Peer, String)]).enumerated()
        {
            commands.append(
                RecordedCommand(
                    id: CommandID(Int64(number + 1)), socket: ConnectionID(socket), sender: sender,
                    at: Instant(nanoseconds: Int64(number)), text: Array(text.utf8)))
        }
        return ReplayTurns(
            ReplaySchedule(exchanges: [], commands: commands), names: { _ in nil }, rate: nil,
            notes: .init(), clock: .system)
    }

    @Test func `what waits for something that does not come is let go`() {
        let turns = Self.turns()
        let went = Mutex(0)
        turns.begin()
        turns.awaitTurn(.command(CommandID(1))) { went.withLock { $0 += 1 } }
        turns.awaitTurn(.command(CommandID(3))) { went.withLock { $0 += 1 } }
        #expect(went.withLock { $0 } == 1)
        turns.giveUp(since: turns.progress - 1)
        #expect(went.withLock { $0 } == 1)
        turns.giveUp(since: turns.progress)
        #expect(went.withLock { $0 } == 2)
    }

    @Test func `nothing is missing while somebody pauses`() {
        let turns = Self.turns()
        turns.begin()
        let before = turns.progress
        turns.giveUp(since: before - 1)
        #expect(turns.progress == before)
        turns.pauses()
        turns.giveUp(since: before)
        #expect(turns.progress == before + 1)
    }
}
