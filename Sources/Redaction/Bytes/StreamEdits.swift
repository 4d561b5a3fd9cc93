internal import Storage
internal import Trace
internal import Wire

/// What is written in the place of parts of the streams of both sides of a connection.
///
/// Kept in a temporary table, since a whole direction may have to be rewritten.
final class StreamEdits {
    /// One edit.
    struct Edit {
        /// The places that are replaced.
        var range: Range<Int>
        /// What comes in their place.
        var bytes: [UInt8]

        /// The part of ``bytes`` that replaces `part`, which is within ``range``.
        ///
        /// Bytes are distributed in proportion, so that the first is where the first was and the
        /// last where the last was; where there are as many as before, each keeps its place.
        func share(of part: Range<Int>) -> ArraySlice<UInt8> {
            guard !range.isEmpty else { return bytes[...] }
            func scaled(_ place: Int) -> Int {
                let (product, rest) = (place - range.lowerBound).multipliedFullWidth(
                    by: bytes.count)
                return range.count.dividingFullWidth((product, rest)).quotient
            }
            return bytes[scaled(part.lowerBound)..<scaled(part.upperBound)]
        }
    }

    private let insertion: Statement
    private let selection: Statement
    private let db: Connection

    /// No edits; those of the connection before are dropped.
    init(_ db: Connection) throws {
        self.db = db
        try db.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS edit(
              peer INTEGER, leg INTEGER, sender INTEGER, place INTEGER, count INTEGER, bytes BLOB,
              PRIMARY KEY (peer, leg, sender, place)) WITHOUT ROWID;
            """)
        insertion = try db.prepare("INSERT OR IGNORE INTO temp.edit VALUES (?, ?, ?, ?, ?, ?)")
        selection = try db.prepare(
            """
            SELECT place, count, bytes FROM temp.edit
            WHERE peer = ?5 AND leg = ?1 AND sender = ?2 AND place < ?4 AND place >= coalesce(
              (SELECT max(place) FROM temp.edit
               WHERE peer = ?5 AND leg = ?1 AND sender = ?2 AND place <= ?3), ?3)
            ORDER BY place
            """)
    }

    /// Drops all edits.
    func removeAll() throws { try db.execute("DELETE FROM temp.edit") }

    /// Adds an edit of what `peer` had, which overlaps no other.
    func add(
        _ peer: Peer, _ stream: SideBytes.Stream, _ range: Range<Int>, _ bytes: [UInt8]
    ) throws {
        guard !range.isEmpty else { return }
        insertion.bind(1, peer.rawValue)
        insertion.bind(2, stream.leg.rawValue)
        insertion.bind(3, stream.sender.rawValue)
        insertion.bind(4, range.lowerBound)
        insertion.bind(5, range.count)
        insertion.bind(6, copying: bytes, asText: false)
        try insertion.run()
    }

    /// The edits of what `peer` had that touch `range`, ascending.
    func touching(
        _ peer: Peer, _ stream: SideBytes.Stream, _ range: Range<Int>
    ) throws -> [Edit] {
        selection.bind(1, stream.leg.rawValue)
        selection.bind(2, stream.sender.rawValue)
        selection.bind(5, peer.rawValue)
        selection.bind(3, range.lowerBound)
        selection.bind(4, range.upperBound)
        var found: [Edit] = []
        while try selection.step() {
            let start = Int(selection.integer(0))
            let edit = Edit(
                range: start..<start + Int(selection.integer(1)), bytes: selection.bytes(2))
            if edit.range.overlaps(range) { found.append(edit) }
        }
        return found
    }
}
