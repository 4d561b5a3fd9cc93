internal import Capturing
internal import Storage
internal import Trace
internal import Wire

/// Packets that a trace keeps as they were captured.
struct KeptPackets {
    let db: Connection

    /// The sessions that keep packets.
    func sessions() throws -> Set<Int64> {
        var found: Set<Int64> = []
        let statement = try db.prepare(
            """
            SELECT s.id FROM session s
            WHERE EXISTS (SELECT 1 FROM packet p WHERE p.session_id = s.id)
            """)
        while try statement.step() { found.insert(statement.integer(0)) }
        return found
    }

    /// Writes all of them, those of each session after its secrets.
    func write(to file: PacketFile, _ progress: (Double) -> Bool) throws {
        let last = max(1, try db.integer("SELECT max(id) FROM packet"))
        let secrets = try db.prepare("SELECT key_log FROM secret WHERE session_id = ? ORDER BY id")
        let packets = try db.prepare(
            """
            SELECT id, session_id, at_unix_ns, link_type, original_size, bytes FROM packet
            ORDER BY id
            """)
        var session: Int64?
        while try packets.step() {
            let id = packets.integer(0)
            if session != packets.integer(1) {
                session = packets.integer(1)
                secrets.bind(1, packets.integer(1))
                while try secrets.step() { file.add(keyLog: secrets.bytes(0)) }
            }
            try file.add(
                packets.bytes(5),
                link: LinkType(rawValue: UInt32(truncatingIfNeeded: packets.integer(3))),
                atUnixNanoseconds: packets.integer(2),
                originalLength: Int(min(max(0, packets.integer(4)), Int64(UInt32.max))))
            if id % 1_024 == 0, !progress(min(1, Double(id) / Double(last))) {
                throw FileError.stopped
            }
        }
    }
}
