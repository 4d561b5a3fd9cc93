import CSQLite
import Dissection
import Notation
import Storage
import Testing
import Wire

@testable import Trace

/// Every table is made, written and read from one value; what one of these ways does not know of
/// another shows here.
@Suite("Tables") struct TableTests {
    private static let words = [
        "", "a", "Zoë\u{0}'\"", "GET", "evicted", "error", "18446744073709551615",
    ]

    /// Values that a row of the table may have.
    private static func values(
        _ table: TableDefinition, _ random: inout SplitMix64
    ) -> [StoredValue] {
        table.columns.map { column in
            if column.isOptional, Bool.random(using: &random) { return .null }
            switch column.content {
            case .number(let least):
                return .number(Int64.random(in: least...60_000, using: &random))
            case .word(let words):
                return .number(Int64.random(in: 0..<Int64(words.count), using: &random))
            case .text: return .text(Array((words.randomElement(using: &random) ?? "").utf8))
            case .bytes:
                return .bytes((0..<3).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
        }
    }

    /// Writes random rows and reads them; gives how many were not the same.
    private static func odd<Row: Hashable & Sendable>(_ table: Table<Row>) throws -> Int {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        defer { db.close() }
        try db.execute("PRAGMA foreign_keys = OFF")
        try db.execute(table.definition.sql)
        let insertion = try Insertion(table, db)
        let query = try db.prepare("SELECT * FROM \(table.definition.name)")
        let clear = try db.prepare("DELETE FROM \(table.definition.name)")
        var random = SplitMix64(seed: 7)
        var odd = 0
        for round in 1...200 {
            let row = table.row(values(table.definition, &random))
            var context = RowContext(id: Int64(round), session: 2, owner: 3)
            context.lastChunk = 4
            context.step = 5
            try insertion.run(row, context)
            guard try query.step() else { return -1 }
            let stored = table.columns.enumerated().map { index, column in
                let place = Int32(index)
                return query.isNull(place)
                    ? StoredValue.null
                    : column.stored(row, context).number != nil
                        ? .number(query.integer(place))
                        : query.isText(place)
                            ? .text(query.bytes(place)) : .bytes(query.bytes(place))
            }
            let found = table.row(query)
            query.reset()
            try clear.run()
            let again = table.row(stored)
            let known = table.columns.map { $0.stored(row, context) }
            if known != stored || !isSame(table, found, row) || !isSame(table, again, row) {
                odd += 1
            }
        }
        return odd
    }

    /// Whether the rows have the same in all columns that can be read.
    private static func isSame<Row>(_ table: Table<Row>, _ a: Row, _ b: Row) -> Bool {
        table.columns.filter { $0.read != nil }.allSatisfy {
            $0.stored(a, RowContext()) == $0.stored(b, RowContext())
        }
    }

    @Test func `what is written comes back`() throws {
        #expect(try Self.odd(Tables.session) == 0)
        #expect(try Self.odd(Tables.connection) == 0)
        #expect(try Self.odd(Tables.leg) == 0)
        #expect(try Self.odd(Tables.chunk) == 0)
        #expect(try Self.odd(Tables.patch) == 0)
        #expect(try Self.odd(Tables.event) == 0)
        #expect(try Self.odd(Tables.gap) == 0)
        #expect(try Self.odd(Tables.mark) == 0)
        #expect(try Self.odd(Tables.packet) == 0)
        #expect(try Self.odd(Tables.secret) == 0)
        #expect(try Self.odd(Tables.fault) == 0)
        #expect(try Self.odd(Tables.verdict) == 0)
        #expect(try Self.odd(Tables.finding) == 0)
        #expect(try Self.odd(Tables.exchange) == 0)
        #expect(try Self.odd(Tables.body) == 0)
        #expect(try Self.odd(Tables.part) == 0)
        #expect(try Self.odd(Tables.document) == 0)
        #expect(try Self.odd(Tables.caseBlock) == 0)
        #expect(try Self.odd(Tables.frame) == 0)
        #expect(try Self.odd(Tables.message) == 0)
        #expect(try Self.odd(Tables.command) == 0)
        #expect(try Self.odd(Tables.change) == 0)
        #expect(try Self.odd(Tables.note) == 0)
    }

    @Test func `an exchange that is written again changes apart from where it began`() throws {
        let trace = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        defer { trace.close() }
        try trace.execute(Tables.exchange.definition.sql)
        let insertion = try Insertion(Tables.exchange, trace)
        var row = Tables.exchange.blank
        row.id = ExchangeID(1)
        row.connection = ConnectionID(2)
        row.path = "/a"
        try insertion.run(row, RowContext(session: 3))
        row.path = "/b"
        row.user = "u"
        row.connection = ConnectionID(4)
        row.requestPlace.chunk = ChunkID(5)
        try insertion.run(row, RowContext(session: 6))
        #expect(
            try trace.text(
                """
                SELECT group_concat(session_id || connection_id || path || user || request_chunk_id)
                FROM any_exchange
                """) == "32/bu0")
    }

    @Test func `the numbers that are given out have a name in the table of them`() {
        let named = (TableDefinition.recorded + TableDefinition.numberedByDecoding)
            .compactMap(\.counter)
        #expect(Set(named) == Set(Counters.all.map(\.name)))
        #expect(named.count == Counters.all.count)
    }

    /// What readers receive of a column by its stored value and its content.
    private func shown(_ value: StoredValue, _ content: ColumnContent) -> ShownValue {
        switch (value, content) {
        case (.number(let number), .word(let words)) where words.indices.contains(Int(number)):
            .text(words[Int(number)])
        case (.number(let number), _): .number(number)
        case (.text(let bytes), _): .text(String(decoding: bytes, as: UTF8.self))
        case (.bytes(let bytes), _): .bytes(bytes)
        case (.null, _): .null
        }
    }

    private func expectShown<Row>(_ table: Table<Row>, _ row: Row) {
        let context = RowContext(id: 5, session: 6, owner: 7)
        for column in table.columns {
            #expect(
                column.shown(row, context)
                    == shown(column.stored(row, context), column.definition.content),
                "\(column.definition.name)")
        }
    }

    @Test func `readers receive what is stored`() {
        var exchange = Tables.exchange.blank
        exchange.status = 503
        exchange.query = "größe"
        exchange.outcome = .responseCut
        exchange.isLocal = true
        exchange.side = .server
        exchange.responsePlace = Place(chunk: ChunkID(4), offset: 2)
        expectShown(Tables.exchange, exchange)
        expectShown(Tables.exchange, Tables.exchange.blank)
        var chunk = Tables.chunk.blank
        chunk.origin = .tapedeck
        chunk.sender = .server
        expectShown(Tables.chunk, chunk)
        expectShown(Tables.chunk, Tables.chunk.blank)
        expectShown(Tables.command, Tables.command.blank)
        expectShown(Tables.message, Tables.message.blank)
        expectShown(Tables.fault, Tables.fault.blank)
        expectShown(Tables.note, Tables.note.blank)
    }

    @Test func `columns are chosen by name, in any order`() {
        var names: [String] = []
        var values: [ShownValue] = []
        var row = Tables.leg.blank
        row.peer = .server
        Tables.leg.select("port nothing peer session_id").forEach(row) {
            names.append($0)
            values.append($1)
        }
        #expect(names == ["port", "peer"])
        #expect(values == [.number(0), .text("server")])
    }
}
