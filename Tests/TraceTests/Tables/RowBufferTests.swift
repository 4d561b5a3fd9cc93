import CSQLite
import Notation
import Storage
import Testing

@Suite("Rows that wait are written as they are") struct RowBufferTests {
    private enum Value: Equatable {
        case null
        case number(Int64)
        case text([UInt8])
        case blob([UInt8])

        var bytes: ([UInt8], isText: Bool)? {
            switch self {
            case .null, .number: nil
            case .text(let text): (text, true)
            case .blob(let blob): (blob, false)
            }
        }
    }

    private static func database() throws -> Connection {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try db.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, a ANY, b ANY, c ANY) STRICT")
        return db
    }

    private static func value(_ dice: inout SplitMix64) -> Value {
        let lengths = [0, 1, 15, 16, 700, 2_047, 2_048, 2_049, 5_000, 70_000]
        let length = lengths.randomElement(using: &dice) ?? 0
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: return .null
        case 1: return .number(Int64.random(in: .min ... .max, using: &dice))
        case 2: return .number(Int64.random(in: -1...1, using: &dice))
        case 3:
            let letter = ["x", "é", "\u{0}", "🙂"].randomElement(using: &dice) ?? "x"
            return .text(Array(String(repeating: letter, count: length / letter.utf8.count).utf8))
        default: return .blob((0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) })
        }
    }

    /// Adds a row as tables do, with long values lent.
    private static func add(
        _ values: [Value], from start: Int = 0, to rows: RowBuffer
    ) throws(StorageFault) {
        for index in values.indices.dropFirst(start) {
            if case .number(let number) = values[index] {
                rows.put(number)
                continue
            }
            guard let (bytes, isText) = values[index].bytes else {
                rows.putNull()
                continue
            }
            if isText, bytes.count < 100 {
                rows.put(String(decoding: bytes, as: UTF8.self))
                continue
            }
            let isLent = bytes.count >= RowBuffer.worthLending
            try bytes.span.withUnsafeBytes { raw throws(StorageFault) in
                guard isLent else { return rows.put(copying: raw, asText: isText) }
                rows.put(lent: raw, asText: isText)
                try add(values, from: index + 1, to: rows)
            }
            if isLent { return }
        }
        if rows.endRow() { try rows.flush() }
    }

    private static func stored(_ db: Connection) throws -> [[Value]] {
        let reading = try db.prepare("SELECT * FROM kept ORDER BY id")
        var rows: [[Value]] = []
        while try reading.step() {
            rows.append(
                (0..<4 as Range<Int32>).map { column in
                    if reading.isNull(column) { return .null }
                    if reading.isInteger(column) {
                        return .number(reading.integer(column))
                    }
                    return reading.isText(column)
                        ? .text(reading.bytes(column)) : .blob(reading.bytes(column))
                })
        }
        return rows
    }

    /// Of numbers that are too large to be computed with, the nearest that is not.
    private static func readable(_ value: Value) -> Value {
        guard case .number(let number) = value else { return value }
        return .number(min(max(number, -Statement.maxInteger), Statement.maxInteger))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `in any number at a time, and however long they are`(seed: UInt64) throws {
        let db = try Self.database()
        defer { db.close() }
        let rows = try RowBuffer(db, width: 4) { "INSERT INTO kept SELECT * FROM \($0)" }
        var dice = SplitMix64(seed: seed)
        var written: [[Value]] = []
        for id in 1...200 as ClosedRange<Int64> {
            let values = [.number(id)] + (0..<3).map { _ in Self.value(&dice) }
            try Self.add(values, to: rows)
            written.append(values)
            if Int.random(in: 0..<30, using: &dice) == 0 { try rows.flush() }
        }
        try rows.flush()
        #expect(try Self.stored(db) == written.map { $0.map(Self.readable) })
    }

    @Test func `and are none where one of them cannot be`() throws {
        let db = try Self.database()
        defer { db.close() }
        let rows = try RowBuffer(db, width: 4) { "INSERT INTO kept SELECT * FROM \($0)" }
        for id in [1, 2, 1] as [Int64] {
            try Self.add([.number(id), .null, .null, .null], to: rows)
        }
        #expect(throws: StorageFault.self) { try rows.flush() }
        #expect(try Self.stored(db).isEmpty)
        // What failed is not written with what follows.
        try Self.add([.number(3), .null, .null, .null], to: rows)
        try rows.flush()
        #expect(try Self.stored(db).map { $0[0] } == [.number(3)])
        try Self.add([.number(4), .null, .null, .null], to: rows)
        rows.discard()
        try rows.flush()
        #expect(try Self.stored(db).count == 1)
    }

    @Test func `and how many are left out is known`() throws {
        let db = try Self.database()
        defer { db.close() }
        let rows = try RowBuffer(db, width: 4) {
            "INSERT OR IGNORE INTO kept SELECT * FROM \($0)"
        }
        for id in [1, 2, 1, 3, 2, 1] as [Int64] {
            try Self.add([.number(id), .null, .null, .null], to: rows)
        }
        try rows.flush()
        #expect(rows.leftOut == 3)
        try rows.flush()
        #expect(rows.leftOut == 3)
    }

    @Test func `whatever tables the file has, and after it was changed`() throws {
        let db = try Self.database()
        defer { db.close() }
        for number in 1...3 {
            try db.execute("CREATE TABLE waiting_\(number) (id INTEGER, a, b, c)")
            try db.execute("INSERT INTO waiting_\(number) VALUES (77, 1, 2, 3)")
        }
        var buffers: [RowBuffer] = []
        for id in 1...4 as ClosedRange<Int64> {
            let rows = try RowBuffer(db, width: 4) { "INSERT INTO kept SELECT * FROM \($0)" }
            try Self.add([.number(id), .null, .null, .null], to: rows)
            // The statement is prepared anew.
            try db.execute("CREATE INDEX kept_\(id) ON kept(a)")
            try rows.flush()
            if id > 2 { buffers.append(rows) }
        }
        for (place, rows) in buffers.enumerated() {
            try Self.add([.number(Int64(5 + place)), .null, .null, .null], to: rows)
            try rows.flush()
        }
        #expect(
            try Self.stored(db).map { $0[0] } == (1...6 as ClosedRange<Int64>).map(Value.number))
    }
}
