package import Storage
package import Wire

/// Writes chunks of another trace, changed or as they were, under the numbers that they had.
package final class EditedChunkWriter {
    private let copies: [Statement]
    private let chunk: Statement
    private let patch: Statement
    private let delivery: Statement

    /// Writes to `db`, which has the other trace as `source`.
    ///
    /// - Throws: The error of SQLite.
    package init(_ db: Connection) throws(StorageFault) {
        let range = "id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1)"
        copies = [
            try db.prepare("INSERT INTO chunk SELECT * FROM source.chunk WHERE id = ?1"),
            try db.prepare("INSERT INTO patch SELECT * FROM source.patch WHERE \(range)"),
            try db.prepare("INSERT INTO delivery SELECT * FROM source.delivery WHERE \(range)"),
        ]
        chunk = try db.prepare(
            """
            INSERT INTO chunk SELECT id, connection_id, leg_id, sender, origin, at_ns, ?2
            FROM source.chunk WHERE id = ?1
            """)
        patch = try db.prepare(TableDefinition.patch.insertion)
        delivery = try db.prepare(TableDefinition.delivery.insertion)
    }

    /// Writes chunk `number` as it was, with its patches and deliveries.
    ///
    /// - Throws: The error of SQLite.
    package func copy(_ number: Int64) throws(StorageFault) {
        for copy in copies {
            copy.bind(1, number)
            try copy.run()
        }
    }

    /// Writes the bytes, patches and deliveries of `edited` as those of chunk `number`.
    ///
    /// - Throws: The error of SQLite.
    package func write(_ edited: Chunk, as number: Int64) throws(StorageFault) {
        chunk.bind(1, number)
        chunk.bind(2, copying: edited.bytes, asText: false)
        try chunk.run()
        for (index, item) in edited.patches.enumerated() {
            patch.bind(1, Tables.share * number + Int64(index))
            patch.bind(2, number)
            patch.bind(3, item.offset)
            patch.bind(4, item.removed)
            patch.bind(5, copying: item.inserted, asText: false)
            patch.bind(6, item.reason.rawValue)
            try patch.run()
        }
        for (index, item) in edited.deliveries.enumerated() {
            delivery.bind(1, Tables.share * number + Int64(index))
            delivery.bind(2, number)
            delivery.bind(3, item.offset)
            delivery.bind(4, item.count)
            if let at = item.at {
                delivery.bind(5, at.nanoseconds)
            } else {
                delivery.bindNull(5)
            }
            try delivery.run()
        }
    }
}
