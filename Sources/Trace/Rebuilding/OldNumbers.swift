internal import Dissection
internal import Storage
internal import Wire

/// Assigns rebuilt rows their old numbers.
///
/// Decoding numbers what it finds from 1 on without holes. Where rows were evicted there are holes,
/// so each row takes the number of the old row that began at the same place; one that is new takes
/// a free one.
final class OldNumbers {
    /// The mapping of the numbers of one table.
    ///
    /// Numbers are assigned in ascending order and mostly keep their distance, so that runs of
    /// equal distance are stored instead of pairs.
    private struct Shifts {
        private var runs: [(from: Int64, shift: Int64)] = []
        private var last: Int64 = 0

        mutating func add(_ number: Int64, becomes old: Int64) {
            last = max(last, number)
            if runs.last?.shift != old - number { runs.append((number, old - number)) }
        }

        func callAsFunction(_ number: Int64) -> Int64? {
            guard number <= last else { return nil }
            var (low, high) = (0, runs.count)
            while low < high {
                let middle = (low + high) / 2
                if runs[middle].from <= number { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? nil : number + runs[low - 1].shift
        }
    }

    private var exchanges = Shifts()
    private var messages = Shifts()
    private var commands = Shifts()
    private var notes: [ConnectionID: ArraySlice<Int64>] = [:]
    private let oldExchange: Statement
    private let oldMessage: Statement
    private let oldCommand: Statement
    private let oldNotes: Statement
    private var free: Counters
    /// Rows that depend on one that was not seen yet.
    private var waiting: [DerivedRow] = []

    /// Remembers the numbers that the trace has now; `free` are those for new rows.
    init(_ db: Connection, free: Counters) throws(StorageFault) {
        try db.execute(
            """
            CREATE TEMP TABLE old_exchange(
              chunk, place, side, id, PRIMARY KEY(chunk, place, side)) WITHOUT ROWID;
            INSERT OR IGNORE INTO old_exchange
              SELECT request_chunk_id, request_offset, side = 'server', id FROM any_exchange;
            CREATE TEMP TABLE old_message(
              chunk, place, side, id, PRIMARY KEY(chunk, place, side)) WITHOUT ROWID;
            INSERT OR IGNORE INTO old_message
              SELECT chunk_id, "offset", side = 'server', id FROM any_message;
            CREATE TEMP TABLE old_command(message, place, id, PRIMARY KEY(message, place))
              WITHOUT ROWID;
            INSERT OR IGNORE INTO old_command SELECT message_id, position, id FROM any_command;
            CREATE TEMP TABLE old_note(connection, id, PRIMARY KEY(connection, id)) WITHOUT ROWID;
            INSERT INTO old_note SELECT connection_id, id FROM note;
            """)
        oldExchange = try db.prepare(
            "SELECT id FROM old_exchange WHERE chunk = ? AND place = ? AND side = ?")
        oldMessage = try db.prepare(
            "SELECT id FROM old_message WHERE chunk = ? AND place = ? AND side = ?")
        oldCommand = try db.prepare("SELECT id FROM old_command WHERE message = ? AND place = ?")
        oldNotes = try db.prepare("SELECT id FROM old_note WHERE connection = ? ORDER BY id")
        self.free = free
    }

    /// The numbers that are free after the rows so far.
    var counters: Counters { free }

    /// Passes each of `rows`, with its old number, to `body`.
    func renumber(
        _ rows: [DerivedRow], _ body: (DerivedRow, _ note: Int64) throws(StorageFault) -> Void
    ) throws(StorageFault) {
        for row in rows { try learn(row) }
        let all = waiting + rows
        waiting = []
        for row in all {
            guard let renumbered = translate(row) else {
                waiting.append(row)
                continue
            }
            var number: Int64 = 0
            if case .note(let note) = row { number = try self.number(of: note) }
            try body(renumbered, number)
        }
    }

    /// Finds the number of a row that others depend on.
    private func learn(_ row: DerivedRow) throws(StorageFault) {
        switch row {
        case .exchange(let row) where exchanges(row.id.rawValue) == nil:
            let old = try find(oldExchange, row.requestPlace, row.side)
            exchanges.add(row.id.rawValue, becomes: old ?? Counters.take(&free.exchange))
        case .message(let row) where messages(row.id.rawValue) == nil:
            let old = try find(oldMessage, row.place, row.side)
            messages.add(row.id.rawValue, becomes: old ?? Counters.take(&free.message))
        case .command(let row) where commands(row.id.rawValue) == nil:
            guard let message = messages(row.message.rawValue) else { return }
            let old = try find(oldCommand, message, Int64(row.position))
            commands.add(row.id.rawValue, becomes: old ?? Counters.take(&free.command))
        default: break
        }
    }

    private func find(
        _ statement: Statement, _ place: Place, _ side: Side
    ) throws(StorageFault) -> Int64? {
        statement.bind(3, side == .server ? 1 : 0)
        return try find(statement, place.chunk.rawValue, Int64(place.offset))
    }

    private func find(_ statement: Statement, _ a: Int64, _ b: Int64) throws(StorageFault) -> Int64?
    {
        statement.bind(1, a)
        statement.bind(2, b)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    private func number(of note: NoteRow) throws(StorageFault) -> Int64 {
        if notes[note.connection] == nil {
            oldNotes.bind(1, note.connection.rawValue)
            var ids: [Int64] = []
            while try oldNotes.step() { ids.append(oldNotes.integer(0)) }
            notes[note.connection] = ids[...]
        }
        return notes[note.connection]?.popFirst() ?? Counters.take(&free.note)
    }

    /// The row with old numbers; nil where it depends on a row that was not seen yet.
    private func translate(_ row: DerivedRow) -> DerivedRow? {
        switch row {
        case .exchange(var row):
            guard let id = exchanges(row.id.rawValue) else { return nil }
            row.id = ExchangeID(id)
            if let other = row.counterpart {
                guard let id = exchanges(other.rawValue) else { return nil }
                row.counterpart = ExchangeID(id)
            }
            return .exchange(row)
        case .body(var row):
            guard let id = exchanges(row.exchange.rawValue) else { return nil }
            row.exchange = ExchangeID(id)
            return .body(row)
        case .part(var row):
            guard let id = exchanges(row.exchange.rawValue) else { return nil }
            row.exchange = ExchangeID(id)
            return .part(row)
        case .openRosa(var row):
            guard let id = exchanges(row.exchange.rawValue) else { return nil }
            row.exchange = ExchangeID(id)
            return .openRosa(row)
        case .caseBlock(var row):
            guard let id = exchanges(row.exchange.rawValue) else { return nil }
            row.exchange = ExchangeID(id)
            return .caseBlock(row)
        case .frame(var row):
            guard let id = messages(row.message.rawValue) else { return nil }
            row.message = MessageID(id)
            return .frame(row)
        case .message(var row):
            guard let id = messages(row.id.rawValue),
                let exchange = exchanges(row.exchange.rawValue)
            else { return nil }
            row.id = MessageID(id)
            row.exchange = ExchangeID(exchange)
            if let other = row.counterpart {
                guard let id = messages(other.rawValue) else { return nil }
                row.counterpart = MessageID(id)
            }
            return .message(row)
        case .command(var row):
            guard let id = commands(row.id.rawValue), let message = messages(row.message.rawValue)
            else { return nil }
            row.id = CommandID(id)
            row.message = MessageID(message)
            if let other = row.counterpart {
                guard let id = commands(other.rawValue) else { return nil }
                row.counterpart = CommandID(id)
            }
            return .command(row)
        case .change(var row):
            guard let id = commands(row.command.rawValue) else { return nil }
            row.command = CommandID(id)
            return .change(row)
        case .note(var row):
            if let exchange = row.exchange {
                guard let id = exchanges(exchange.rawValue) else { return nil }
                row.exchange = ExchangeID(id)
            }
            if let message = row.message {
                guard let id = messages(message.rawValue) else { return nil }
                row.message = MessageID(id)
            }
            return .note(row)
        }
    }
}
