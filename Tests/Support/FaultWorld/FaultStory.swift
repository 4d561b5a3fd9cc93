import Faults
import Notation
import Wire

/// What happened on the connections of one client, and what faults did there.
struct FaultTranscript {
    var entries: [JudgedRelay.Entry] = []
    var rows: [FaultRow] = []
    /// What goes into the trace and was not taken yet, in order.
    var records: [Record] = []
    /// What is not as it has to be whatever faults do.
    var problems: [String] = []

    /// Takes what goes into the trace.
    mutating func takeRecords() -> [Record] {
        defer { records = [] }
        return records
    }

    /// What faults do when the same happens to all clients, in this order within each client and in
    /// an order between them that `seed` decides.
    static func replay(
        _ stories: [FaultTranscript], session: FaultSession, shuffledBy seed: UInt64
    ) -> [[FaultRow]] {
        var draws = SplitMix64(seed: seed)
        var rows: [[FaultRow]] = Array(repeating: [], count: stories.count)
        var next = Array(repeating: 0, count: stories.count)
        var relays: [JudgedRelay?] = Array(repeating: nil, count: stories.count)
        var open = Array(stories.indices.filter { !stories[$0].entries.isEmpty })
        while let client = open.randomElement(using: &draws) {
            for _ in 0..<Int.random(in: 1...20, using: &draws)
            where next[client] < stories[client].entries.count {
                let entry = stories[client].entries[next[client]]
                next[client] += 1
                if entry.event == nil {
                    relays[client] = JudgedRelay(
                        client: client, connection: entry.connection, session: session)
                }
                rows[client] += JudgedRelay.rows(in: relays[client]?.take(entry) ?? [])
            }
            if next[client] == stories[client].entries.count { open.removeAll { $0 == client } }
        }
        return rows
    }
}
