internal import CSQLite

/// A virtual table of rows in memory (https://www.sqlite.org/vtab.html).
///
/// It is there for statements of this connection alone: no file has it, and it reads nothing but what
/// ``lend(_:_:_:)`` gave it.
final class WaitingRows {
    static let null: Int64 = 0
    static let number: Int64 = 1
    static let text: Int64 = 2
    static let blob: Int64 = 3
    /// Bytes that are not among those lent with the rows.
    static let lentText: Int64 = 4
    static let lentBlob: Int64 = 5

    private let name: String
    /// The name of the table in statements: a table of a file with the same name is another one.
    var statementName: String { "temp.\(name)" }
    /// Number of columns.
    let width: Int
    private let connection: Connection
    /// Safety: lives until the table is dropped, and is changed only while no statement runs.
    private let rows: UnsafeMutablePointer<tapedeck_rows>

    init(_ connection: Connection, width: Int) throws(StorageFault) {
        self.connection = connection
        self.width = width
        name = connection.nameOfTable()
        rows = .allocate(capacity: 1)
        rows.initialize(to: tapedeck_rows(cells: nil, bytes: nil, count: 0, width: Int64(width)))
        let code = sqlite3_create_module_v2(connection.handle, name, Self.module, rows, nil)
        guard code == SQLITE_OK else { throw connection.fault(code) }
    }

    deinit {
        // SQLite keeps what describes the table for as long as a statement has it.
        if let handle = connection.handle {
            sqlite3_create_module_v2(handle, name, nil, nil, nil)
        }
        rows.deallocate()
    }

    /// Gives it `count` rows, which stay where they are until the next call.
    func lend(
        _ cells: UnsafePointer<tapedeck_cell>?, _ bytes: UnsafeBufferPointer<UInt8>, _ count: Int
    ) {
        rows.pointee.cells = cells
        rows.pointee.bytes = bytes.baseAddress
        rows.pointee.count = Int64(count)
    }

    // MARK: What SQLite calls

    /// Safety: never changed once it is made.
    private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var calls = sqlite3_module()
        calls.xConnect = { database, rows, _, _, made, _ in connect(database, rows, made) }
        calls.xDisconnect = { free($0) }
        calls.xBestIndex = { _, _ in SQLITE_OK }
        calls.xOpen = { open($0, $1) }
        calls.xClose = { free($0) }
        // A cursor is opened for each run, and begins with the first row.
        calls.xFilter = { _, _, _, _, _ in SQLITE_OK }
        calls.xNext = { advance($0) }
        calls.xEof = { isAtEnd($0) }
        calls.xColumn = { give($0, $1, $2) }
        calls.xRowid = { _, _ in SQLITE_MISUSE }
        module.initialize(to: calls)
        return UnsafePointer(module)
    }()

    private static func connect(
        _ database: OpaquePointer?, _ rows: UnsafeMutableRawPointer?,
        _ made: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
    ) -> Int32 {
        guard let rows = rows?.assumingMemoryBound(to: tapedeck_rows.self) else {
            return SQLITE_MISUSE
        }
        let columns = (0..<rows.pointee.width).map { "c\($0)" }.joined(separator: ",")
        let code = sqlite3_declare_vtab(database, "CREATE TABLE rows(\(columns))")
        guard code == SQLITE_OK else { return code }
        guard let table = room(for: tapedeck_rows_table.self) else { return SQLITE_NOMEM }
        table.initialize(to: tapedeck_rows_table(base: sqlite3_vtab(), rows: rows))
        made?.pointee = start(of: table)
        return SQLITE_OK
    }

    private static func open(
        _ table: UnsafeMutablePointer<sqlite3_vtab>?,
        _ made: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
    ) -> Int32 {
        guard let table else { return SQLITE_MISUSE }
        guard let cursor = room(for: tapedeck_rows_cursor.self) else { return SQLITE_NOMEM }
        let rows = whole(table, tapedeck_rows_table.self).pointee.rows.pointee
        cursor.initialize(
            to: tapedeck_rows_cursor(
                base: sqlite3_vtab_cursor(), values: rows.cells,
                end: rows.cells.map { $0 + Int(rows.count * rows.width) }, bytes: rows.bytes,
                width: rows.width))
        made?.pointee = start(of: cursor)
        return SQLITE_OK
    }

    private static func advance(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
        guard let cursor else { return SQLITE_MISUSE }
        let place = whole(cursor, tapedeck_rows_cursor.self)
        place.pointee.values = place.pointee.values.map { $0 + Int(place.pointee.width) }
        return SQLITE_OK
    }

    private static func isAtEnd(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
        guard let cursor else { return 1 }
        let place = whole(cursor, tapedeck_rows_cursor.self)
        return place.pointee.values == place.pointee.end ? 1 : 0
    }

    /// Gives SQLite a value without a copy: it stays until the row is stored.
    private static func give(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ result: OpaquePointer?,
        _ column: Int32
    ) -> Int32 {
        guard let cursor else { return SQLITE_MISUSE }
        let place = whole(cursor, tapedeck_rows_cursor.self)
        guard let cell = place.pointee.values.map({ $0 + Int(column) }) else {
            return SQLITE_MISUSE
        }
        switch cell.pointee.kind {
        case number:
            sqlite3_result_int64(result, cell.pointee.number)
        case null:
            sqlite3_result_null(result)
        case text, lentText:
            let start = start(of: cell, place)
            // A null pointer would be NULL.
            sqlite3_result_text64(
                result, start?.assumingMemoryBound(to: CChar.self) ?? EmptyText.start,
                UInt64(cell.pointee.count), nil, UInt8(SQLITE_UTF8))
        default:
            guard cell.pointee.count > 0, let start = start(of: cell, place) else {
                sqlite3_result_zeroblob(result, 0)
                break
            }
            sqlite3_result_blob64(result, start, UInt64(cell.pointee.count), nil)
        }
        return SQLITE_OK
    }

    /// Where the bytes of a value begin; nil of one without bytes.
    private static func start(
        of cell: UnsafePointer<tapedeck_cell>, _ place: UnsafePointer<tapedeck_rows_cursor>
    ) -> UnsafeRawPointer? {
        let number = Int(cell.pointee.number)
        guard cell.pointee.kind < lentText else { return UnsafeRawPointer(bitPattern: number) }
        return place.pointee.bytes.map { UnsafeRawPointer($0 + number) }
    }

    private static func room<Value>(for type: Value.Type) -> UnsafeMutablePointer<Value>? {
        sqlite3_malloc64(UInt64(MemoryLayout<Value>.size))?.bindMemory(to: type, capacity: 1)
    }

    private static func free(_ object: UnsafeMutableRawPointer?) -> Int32 {
        sqlite3_free(object)
        return SQLITE_OK
    }

    /// What SQLite knows of an object, which is its start.
    private static func start<Value, Start>(
        of object: UnsafeMutablePointer<Value>
    ) -> UnsafeMutablePointer<Start> {
        UnsafeMutableRawPointer(object).assumingMemoryBound(to: Start.self)
    }

    /// The object of which SQLite knows the start.
    private static func whole<Start, Value>(
        _ start: UnsafeMutablePointer<Start>, _ type: Value.Type
    ) -> UnsafeMutablePointer<Value> {
        UnsafeMutableRawPointer(start).assumingMemoryBound(to: type)
    }
}
