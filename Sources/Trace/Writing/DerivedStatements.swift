internal import Dissection
internal import Storage
internal import Wire

/// Writes decoded rows, one prepared statement for each table.
final class DerivedStatements {
    private let tables: InsertionGroup
    private let exchange: Insertion<ExchangeRow>
    private let body: Insertion<BodyRow>
    private let part: Insertion<PartRow>
    private let document: Insertion<OpenRosaRow>
    private let caseBlock: Insertion<CaseBlockRow>
    private let frame: Insertion<FrameRow>
    private let message: Insertion<MessageRow>
    private let command: Insertion<CommandRow>
    private let change: Insertion<ChangeRow>
    private let note: Insertion<NoteRow>

    private let hasChunk: Statement
    /// Whether chunks are evicted, so that those of a body may be gone when it ends.
    var mayLackChunks = false

    /// Rows that were left out because their number was taken; 0 unless decoding went wrong.
    var leftOut: Int64 { tables.leftOut }

    init(_ db: Connection) throws(StorageFault) {
        var tables = InsertionGroup(db)
        exchange = try tables.insertion(Tables.exchange)
        body = try tables.insertion(Tables.body)
        part = try tables.insertion(Tables.part)
        document = try tables.insertion(Tables.document)
        caseBlock = try tables.insertion(Tables.caseBlock)
        frame = try tables.insertion(Tables.frame)
        message = try tables.insertion(Tables.message)
        command = try tables.insertion(Tables.command)
        change = try tables.insertion(Tables.change)
        note = try tables.insertion(Tables.note)
        self.tables = tables
        hasChunk = try db.prepare("SELECT 1 FROM chunk WHERE id = ?")
    }

    /// Writes one row of `session`, at the latest with ``flush()``.
    func write(
        _ row: borrowing DerivedRow, session: Int64, at position: inout WritePosition
    ) throws(StorageFault) {
        let context = RowContext(session: session)
        switch row {
        case .exchange(let row):
            position.counters.exchange = max(position.counters.exchange, row.id.rawValue + 1)
            try exchange.add(row, context)
        case .note(let row):
            let id = Counters.take(&position.counters.note)
            try note.add(row, RowContext(id: id, session: session))
        case .body(let row):
            try body.add(mayLackChunks ? withEvicted(row) : row)
        case .part(let row): try part.add(row)
        case .openRosa(let row): try document.add(row)
        case .caseBlock(let row): try caseBlock.add(row)
        case .frame(let row):
            // Beyond its share a frame is counted only by its message.
            guard row.position < Tables.share else { return }
            try frame.add(row)
        case .message(let row):
            position.counters.message = max(position.counters.message, row.id.rawValue + 1)
            try message.add(row, context)
        case .command(let row):
            position.counters.command = max(position.counters.command, row.id.rawValue + 1)
            try command.add(row, context)
        case .change(let row):
            guard row.position < Tables.share else { return }
            try change.add(row)
        }
    }

    /// Writes the rows that wait.
    func flush() throws(StorageFault) { try tables.flush() }

    /// Forgets the rows that wait.
    func discard() { tables.discard() }

    /// The row with head and content in it where the chunks in which they came are gone.
    private func withEvicted(_ row: BodyRow) throws(StorageFault) -> BodyRow {
        var row = row
        if let place = row.headPlace, try !isThere(place.chunk) { row.headPlace = nil }
        for part in row.contentParts {
            let isStored = try isThere(part.place.chunk)
            if isStored { continue }
            row.contentParts = []
            break
        }
        return row
    }

    private func isThere(_ chunk: ChunkID) throws(StorageFault) -> Bool {
        hasChunk.bind(1, chunk.rawValue)
        defer { hasChunk.reset() }
        return try hasChunk.step()
    }
}
