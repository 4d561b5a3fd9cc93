internal import Storage
internal import Wire

/// Writes what was seen and what was stated, one prepared statement for each table.
final class TruthStatements {
    private let connection: Statement
    private let leg: Statement
    private let chunk: Statement
    private let patch: Statement
    private let event: Statement
    private let gap: Statement
    private let mark: Statement
    private let fault: Statement
    private let finding: Statement
    private let packet: Statement
    private let secret: Statement

    init(_ db: Connection) throws(StorageFault) {
        connection = try db.prepare("INSERT INTO connection VALUES (?,?,?,?,?,?,?,?)")
        leg = try db.prepare("INSERT INTO leg VALUES (?,?,?,?,?,?,?,?,?)")
        chunk = try db.prepare("INSERT INTO chunk VALUES (?,?,?,?,?,?,?)")
        patch = try db.prepare("INSERT INTO patch VALUES (?,?,?,?,?,?)")
        event = try db.prepare("INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?)")
        gap = try db.prepare("INSERT INTO gap VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
        mark = try db.prepare("INSERT INTO mark VALUES (?,?,?,?)")
        fault = try db.prepare(
            "INSERT INTO fault_statement VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        finding = try db.prepare("INSERT INTO finding_statement VALUES (?,?,?,?,?,?,?,?,?)")
        packet = try db.prepare("INSERT INTO packet VALUES (?,?,?,?,?,?,?,?)")
        secret = try db.prepare("INSERT INTO secret VALUES (?,?,?,?,?)")
    }

    /// Writes one record of `session` and moves `position` past it.
    ///
    /// `places` are the chunks of the faults to come, in their order.
    func write(
        _ record: borrowing Record, session: Int64, places: inout ArraySlice<ChunkID?>,
        at position: inout WritePosition
    ) throws(StorageFault) {
        switch record {
        case .chunk(let row): try write(row, at: &position)
        case .connection(let row):
            position.counters.connection = max(position.counters.connection, row.id.rawValue + 1)
            connection.bind(1, row.id.rawValue)
            connection.bind(2, session)
            connection.bind(3, row.at.nanoseconds)
            connection.bind(4, row.listener)
            connection.bind(5, row.client)
            connection.bind(6, row.mode.rawValue)
            connection.bind(7, position.lastChunk)
            connection.bind(8, position.nextStep())
            try connection.run()
        case .leg(let row):
            position.counters.leg = max(position.counters.leg, row.id.rawValue + 1)
            leg.bind(1, row.id.rawValue)
            leg.bind(2, row.connection.rawValue)
            leg.bind(3, row.peer.rawValue)
            leg.bind(4, row.at.nanoseconds)
            leg.bind(5, row.host)
            leg.bind(6, row.port)
            leg.bind(7, position.lastChunk)
            leg.bind(8, position.nextStep())
            leg.bind(9, row.isTLS.map { $0 ? 1 : 0 })
            try leg.run()
        case .event(let row):
            event.bind(1, Counters.take(&position.counters.event))
            event.bind(2, session)
            event.bind(3, row.connection?.rawValue)
            event.bind(4, row.leg?.rawValue)
            event.bind(5, position.lastChunk)
            event.bind(6, position.nextStep())
            event.bind(7, row.at.nanoseconds)
            event.bind(8, row.kind.rawValue)
            event.bind(9, row.says)
            try event.run()
        case .gap(let row): try write(row, session: session, at: &position)
        case .mark(let row):
            mark.bind(1, Counters.take(&position.counters.mark))
            mark.bind(2, session)
            mark.bind(3, row.at.nanoseconds)
            mark.bind(4, row.name)
            try mark.run()
        case .fault(let row):
            let chunk = row.chunk ?? places.popFirst() ?? nil
            try write(row, chunk: chunk, session: session, at: &position)
        case .finding(let row):
            finding.bind(1, Counters.take(&position.counters.finding))
            finding.bind(2, session)
            finding.bind(3, row.at.nanoseconds)
            finding.bind(4, row.rule)
            finding.bind(5, row.severity.rawValue)
            finding.bind(6, row.chunk?.rawValue)
            finding.bind(7, row.offset)
            finding.bind(8, row.says)
            finding.bind(9, row.expected)
            try finding.run()
        case .packet(let row): try write(row, session: session, at: &position)
        case .secret(let row):
            secret.bind(1, Counters.take(&position.counters.secret))
            secret.bind(2, session)
            secret.bind(3, copying: row.keyLog, asText: false)
            secret.bind(4, position.lastChunk)
            secret.bind(5, position.nextStep())
            try secret.run()
        }
    }

    private func write(
        _ row: PacketRow, session: Int64, at position: inout WritePosition
    ) throws(StorageFault) {
        packet.bind(1, Counters.take(&position.counters.packet))
        packet.bind(2, session)
        packet.bind(3, row.atUnixNanoseconds)
        packet.bind(4, row.linkType)
        packet.bind(5, row.originalSize)
        packet.bind(6, position.lastChunk)
        packet.bind(7, position.nextStep())
        try row.bytes.span.withUnsafeBytes { bytes throws(StorageFault) in
            packet.bind(8, borrowed: bytes, asText: false)
            try packet.run()
        }
    }

    private func write(
        _ row: FaultRow, chunk: ChunkID?, session: Int64, at position: inout WritePosition
    ) throws(StorageFault) {
        fault.bind(1, Counters.take(&position.counters.fault))
        fault.bind(2, session)
        fault.bind(3, row.at.nanoseconds)
        fault.bind(4, row.rule)
        fault.bind(5, row.action)
        fault.bind(6, row.connection?.rawValue)
        fault.bind(7, row.sender.map { Int64($0.rawValue) })
        fault.bind(8, row.scope)
        fault.bind(9, row.occurrence)
        fault.bind(10, String(row.draw))
        fault.bind(11, copying: row.came, asText: false)
        fault.bind(12, copying: row.sent, asText: false)
        fault.bind(13, chunk?.rawValue)
        fault.bind(14, row.offset)
        try fault.run()
    }

    private func write(_ row: Chunk, at position: inout WritePosition) throws(StorageFault) {
        let id = Counters.take(&position.counters.chunk)
        position.lastChunk = id
        position.step = 0
        chunk.bind(1, id)
        chunk.bind(2, row.connection.rawValue)
        chunk.bind(3, row.leg.rawValue)
        chunk.bind(4, row.sender.rawValue)
        chunk.bind(5, row.origin.rawValue)
        chunk.bind(6, row.at.nanoseconds)
        try row.bytes.span.withUnsafeBytes { bytes throws(StorageFault) in
            chunk.bind(7, borrowed: bytes, asText: false)
            try chunk.run()
        }
        for (place, change) in row.patches.enumerated() {
            patch.bind(1, Schema.share * id + Int64(place))
            patch.bind(2, id)
            patch.bind(3, change.offset)
            patch.bind(4, change.removed)
            patch.bind(5, copying: change.inserted, asText: false)
            patch.bind(6, change.reason.rawValue)
            try patch.run()
        }
    }

    private func write(
        _ row: GapRow, session: Int64, at position: inout WritePosition
    ) throws(StorageFault) {
        gap.bind(1, Counters.take(&position.counters.gap))
        gap.bind(2, session)
        gap.bind(3, row.connection?.rawValue)
        gap.bind(4, row.leg?.rawValue)
        gap.bind(5, row.sender?.rawValue)
        gap.bind(6, position.lastChunk)
        gap.bind(7, position.nextStep())
        gap.bind(8, row.at.nanoseconds)
        gap.bind(9, row.until.nanoseconds)
        gap.bind(10, row.count)
        gap.bind(11, row.chunks)
        gap.bind(12, row.reason.rawValue)
        try gap.run()
    }
}
