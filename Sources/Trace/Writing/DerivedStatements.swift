internal import Dissection
internal import Storage
internal import Wire

/// Writes what decoding found, one prepared statement for each table.
final class DerivedStatements {
    private let db: Connection
    private let exchange: Statement
    private let body: Statement
    private let part: Statement
    private let document: Statement
    private let caseBlock: Statement
    private let frame: Statement
    private let message: Statement
    private let command: Statement
    private let change: Statement
    private let note: Statement

    /// Rows that were left out because their number was taken; 0 unless decoding went wrong.
    private(set) var leftOut: Int64 = 0

    init(_ db: Connection) throws(StorageFault) {
        self.db = db
        func marks(_ count: Int) -> String {
            repeatElement("?", count: count).joined(separator: ",")
        }
        exchange = try db.prepare(
            """
            INSERT INTO http_exchange VALUES (\(marks(30))) ON CONFLICT(id) DO UPDATE SET
              server_leg_id = excluded.server_leg_id, api = excluded.api,
              method = excluded.method, scheme = excluded.scheme, host = excluded.host,
              port = excluded.port, path = excluded.path, query = excluded.query,
              version = excluded.version, status = excluded.status, reason = excluded.reason,
              started_ns = excluded.started_ns, request_ended_ns = excluded.request_ended_ns,
              responded_ns = excluded.responded_ns, ended_ns = excluded.ended_ns,
              request_size = excluded.request_size, response_size = excluded.response_size,
              outcome = excluded.outcome, problem = excluded.problem,
              retry_after = excluded.retry_after, device = excluded.device,
              is_local = excluded.is_local, response_chunk_id = excluded.response_chunk_id,
              response_offset = excluded.response_offset, user = excluded.user
            """)
        body = try db.prepare("INSERT OR IGNORE INTO http_body VALUES (\(marks(16)))")
        part = try db.prepare("INSERT OR IGNORE INTO part VALUES (\(marks(9)))")
        document = try db.prepare("INSERT OR IGNORE INTO openrosa VALUES (\(marks(20)))")
        caseBlock = try db.prepare("INSERT OR IGNORE INTO case_block VALUES (\(marks(14)))")
        frame = try db.prepare("INSERT OR IGNORE INTO frame VALUES (\(marks(14)))")
        message = try db.prepare("INSERT OR IGNORE INTO message VALUES (\(marks(17)))")
        command = try db.prepare("INSERT OR IGNORE INTO simperium_command VALUES (\(marks(18)))")
        change = try db.prepare("INSERT OR IGNORE INTO change VALUES (\(marks(14)))")
        note = try db.prepare("INSERT INTO note VALUES (\(marks(11)))")
    }

    /// Writes one row of `session`.
    func write(
        _ row: DerivedRow, session: Int64, at position: inout WritePosition
    ) throws(StorageFault) {
        switch row {
        case .exchange(let row):
            position.counters.exchange = max(position.counters.exchange, row.id.rawValue + 1)
            try write(row, session: session)
            return
        case .note(let row):
            try write(row, id: Counters.take(&position.counters.note), session: session)
            return
        case .body(let row): try write(row)
        case .part(let row): try write(row)
        case .openRosa(let row): try write(row)
        case .caseBlock(let row): try write(row)
        case .frame(let row):
            // Beyond its share a frame is counted by its message alone.
            guard row.position < Schema.share else { return }
            try write(row)
        case .message(let row):
            position.counters.message = max(position.counters.message, row.id.rawValue + 1)
            try write(row, session: session)
        case .command(let row):
            position.counters.command = max(position.counters.command, row.id.rawValue + 1)
            try write(row, session: session)
        case .change(let row):
            guard row.position < Schema.share else { return }
            try write(row)
        }
        if db.changes == 0 { leftOut += 1 }
    }

    private func write(_ row: ExchangeRow, session: Int64) throws(StorageFault) {
        exchange.bind(1, row.id.rawValue)
        exchange.bind(2, session)
        exchange.bind(3, row.connection.rawValue)
        exchange.bind(4, row.serverLeg?.rawValue)
        exchange.bind(5, row.api)
        exchange.bind(6, row.method)
        exchange.bind(7, row.scheme)
        exchange.bind(8, row.host)
        exchange.bind(9, row.port)
        exchange.bind(10, row.path)
        exchange.bind(11, row.query)
        exchange.bind(12, row.version)
        exchange.bind(13, row.status)
        exchange.bind(14, row.reason)
        exchange.bind(15, row.startedAt.nanoseconds)
        exchange.bind(16, row.requestEndedAt?.nanoseconds)
        exchange.bind(17, row.respondedAt?.nanoseconds)
        exchange.bind(18, row.endedAt?.nanoseconds)
        exchange.bind(19, row.requestSize)
        exchange.bind(20, row.responseSize)
        exchange.bind(21, row.outcome.rawValue)
        exchange.bind(22, row.problem)
        exchange.bind(23, row.retryAfter)
        exchange.bind(24, row.device)
        exchange.bind(25, row.isLocal)
        exchange.bind(26, row.requestPlace.chunk.rawValue)
        exchange.bind(27, row.requestPlace.offset)
        exchange.bind(28, row.responsePlace?.chunk.rawValue)
        exchange.bind(29, row.responsePlace?.offset)
        exchange.bind(30, row.user)
        try exchange.run()
    }

    private func write(_ row: BodyRow) throws(StorageFault) {
        body.bind(1, 2 * row.exchange.rawValue + Int64(row.sender.rawValue))
        body.bind(2, row.exchange.rawValue)
        body.bind(3, row.sender.rawValue)
        body.bind(4, row.headPlace?.chunk.rawValue)
        body.bind(5, row.headPlace?.offset)
        body.bind(6, row.head.count)
        if row.trailers.isEmpty {
            body.bindNull(8)
        } else {
            body.bind(8, copying: row.trailers, asText: false)
        }
        body.bind(9, row.contentPlace?.offset)
        body.bind(11, row.isText)
        body.bind(12, row.size)
        body.bind(13, row.wireSize)
        body.bind(14, row.coding)
        body.bind(15, row.contentType)
        body.bind(16, row.problem)
        // What stands in the chunk as it is needs no second place.
        try row.head.span.withUnsafeBytes { head throws(StorageFault) in
            if row.headPlace == nil {
                body.bind(7, borrowed: head, asText: false)
            } else {
                body.bindNull(7)
            }
            try row.content.span.withUnsafeBytes { content throws(StorageFault) in
                if row.contentPlace == nil {
                    body.bind(10, borrowed: content, asText: row.isText)
                } else {
                    body.bindNull(10)
                }
                try body.run()
            }
        }
    }

    private func write(_ row: PartRow) throws(StorageFault) {
        let owner = 2 * row.exchange.rawValue + Int64(row.sender.rawValue)
        part.bind(1, Schema.share * owner + Int64(row.position))
        part.bind(2, row.exchange.rawValue)
        part.bind(3, row.sender.rawValue)
        part.bind(4, row.position)
        part.bind(5, row.name)
        part.bind(6, row.filename)
        part.bind(7, row.contentType)
        part.bind(8, row.size)
        part.bind(9, row.offset)
        try part.run()
    }

    private func write(_ row: OpenRosaRow) throws(StorageFault) {
        let owner = 2 * row.exchange.rawValue + Int64(row.sender.rawValue)
        document.bind(1, Schema.share * owner + Int64((row.part ?? -1) + 1))
        document.bind(2, row.exchange.rawValue)
        document.bind(3, row.sender.rawValue)
        document.bind(4, row.part)
        document.bind(5, row.kind)
        document.bind(6, row.root)
        document.bind(7, row.namespace)
        document.bind(8, row.nature)
        document.bind(9, row.says)
        document.bind(10, row.key)
        document.bind(11, row.items)
        document.bind(12, row.done)
        document.bind(13, row.total)
        document.bind(14, row.restoreID)
        document.bind(15, row.instanceID)
        document.bind(16, row.cases)
        document.bind(17, row.fixtures)
        document.bind(18, row.ledgers)
        document.bind(19, row.problem)
        document.bind(20, row.owners)
        try document.run()
    }

    private func write(_ row: CaseBlockRow) throws(StorageFault) {
        let owner = 2 * row.exchange.rawValue + Int64(row.sender.rawValue)
        caseBlock.bind(1, Schema.share * owner + Int64(row.position))
        caseBlock.bind(2, Schema.share * owner + Int64((row.part ?? -1) + 1))
        caseBlock.bind(3, row.exchange.rawValue)
        caseBlock.bind(4, row.sender.rawValue)
        caseBlock.bind(5, row.position)
        caseBlock.bind(6, row.caseID)
        caseBlock.bind(7, row.action)
        caseBlock.bind(8, row.caseType)
        caseBlock.bind(9, row.caseName)
        caseBlock.bind(10, row.ownerID)
        caseBlock.bind(11, row.userID)
        caseBlock.bind(12, row.dateModified)
        caseBlock.bind(13, row.indices)
        caseBlock.bind(14, row.properties)
        try caseBlock.run()
    }

    private func write(_ row: FrameRow) throws(StorageFault) {
        frame.bind(1, Schema.share * row.message.rawValue + Int64(row.position))
        frame.bind(2, row.message.rawValue)
        frame.bind(3, row.connection.rawValue)
        frame.bind(4, row.sender.rawValue)
        frame.bind(5, row.at.nanoseconds)
        frame.bind(6, row.position)
        frame.bind(7, row.fin)
        frame.bind(8, row.rsv)
        frame.bind(9, row.opcode)
        frame.bind(10, row.mask.map(Int64.init))
        frame.bind(11, row.headerSize)
        frame.bind(12, row.payloadSize)
        frame.bind(13, row.place.chunk.rawValue)
        frame.bind(14, row.place.offset)
        try frame.run()
    }

    private func write(_ row: MessageRow, session: Int64) throws(StorageFault) {
        message.bind(1, row.id.rawValue)
        message.bind(2, session)
        message.bind(3, row.connection.rawValue)
        message.bind(4, row.exchange.rawValue)
        message.bind(5, row.sender.rawValue)
        message.bind(6, row.at.nanoseconds)
        message.bind(7, row.endedAt.nanoseconds)
        message.bind(8, row.opcode)
        message.bind(10, row.size)
        message.bind(11, row.wireSize)
        message.bind(12, row.isCompressed)
        message.bind(13, row.frames)
        message.bind(14, row.closeCode)
        message.bind(15, row.problem)
        message.bind(16, row.place.chunk.rawValue)
        message.bind(17, row.place.offset)
        try row.payload.span.withUnsafeBytes { payload throws(StorageFault) in
            message.bind(9, borrowed: payload, asText: row.isText)
            try message.run()
        }
    }

    private func write(_ row: CommandRow, session: Int64) throws(StorageFault) {
        command.bind(1, row.id.rawValue)
        command.bind(2, session)
        command.bind(3, row.message.rawValue)
        command.bind(4, row.connection.rawValue)
        command.bind(5, row.position)
        command.bind(6, row.sender.rawValue)
        command.bind(7, row.at.nanoseconds)
        command.bind(8, row.channel)
        command.bind(9, row.name)
        command.bind(10, row.bucket)
        command.bind(11, row.app)
        command.bind(13, row.payloadOffset)
        command.bind(14, row.payloadSize)
        command.bind(15, row.key)
        command.bind(16, row.cv)
        command.bind(17, row.error)
        command.bind(18, row.problem)
        guard let text = row.text else {
            command.bindNull(12)
            return try command.run()
        }
        try text.span.withUnsafeBytes { text throws(StorageFault) in
            command.bind(12, borrowed: text, asText: true)
            try command.run()
        }
    }

    private func write(_ row: ChangeRow) throws(StorageFault) {
        change.bind(1, Schema.share * row.command.rawValue + Int64(row.position))
        change.bind(2, row.command.rawValue)
        change.bind(3, row.position)
        change.bind(4, row.bucket)
        change.bind(5, row.key)
        change.bind(6, row.operation)
        change.bind(7, row.sv)
        change.bind(8, row.ev)
        change.bind(9, row.cv)
        change.bind(10, row.ccid)
        change.bind(11, row.clientID)
        change.bind(12, row.error)
        change.bind(13, row.offset)
        change.bind(14, row.size)
        try change.run()
    }

    private func write(_ row: NoteRow, id: Int64, session: Int64) throws(StorageFault) {
        note.bind(1, id)
        note.bind(2, session)
        note.bind(3, row.connection.rawValue)
        note.bind(4, row.exchange?.rawValue)
        note.bind(5, row.message?.rawValue)
        note.bind(6, row.sender.rawValue)
        note.bind(7, row.at.nanoseconds)
        note.bind(8, row.place.chunk.rawValue)
        note.bind(9, row.place.offset)
        note.bind(10, row.code)
        note.bind(11, row.says)
        try note.run()
    }
}
