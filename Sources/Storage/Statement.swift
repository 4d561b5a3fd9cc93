internal import CSQLite

/// One prepared statement.
///
/// Parameters count from 1 and columns from 0, as SQLite has it.
package final class Statement {
    private let handle: OpaquePointer
    /// Keeps the connection open for as long as a statement of it is about.
    package let connection: Connection

    init(_ handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        connection.finalize(handle)
    }

    /// Goes to the next row.
    ///
    /// - Returns: False when there is no further row; the statement is then ready for its next use.
    package func step() throws(StorageFault) -> Bool {
        guard connection.handle != nil else {
            throw StorageFault(code: SQLITE_MISUSE, message: "the trace is closed")
        }
        connection.beginsStep()
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        let failure = code == SQLITE_DONE ? nil : connection.fault(code)
        sqlite3_reset(handle)
        if let failure { throw failure }
        return false
    }

    /// Runs a statement that gives no rows.
    package func run() throws(StorageFault) {
        while try step() {}
    }

    /// Makes the statement ready for its next use before its rows are all read.
    package func reset() { if connection.handle != nil { sqlite3_reset(handle) } }

    /// Makes the statement ready for its next use, without arguments.
    package func clear() {
        guard connection.handle != nil else { return }
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // MARK: Parameters

    package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

    package func bind(_ index: Int32, _ value: Int) {
        sqlite3_bind_int64(handle, index, Int64(value))
    }

    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
    }

    package func bind(_ index: Int32, _ value: Int?) { bind(index, value.map(Int64.init)) }

    package func bind(_ index: Int32, _ value: Bool) { bind(index, value ? 1 : 0) }

    package func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

    package func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    package func bind(_ index: Int32, _ value: String) {
        var value = value
        value.withUTF8 { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_bind_text64(
                    handle, index, characters.baseAddress ?? EmptyText.start,
                    UInt64(characters.count), Self.copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    package func bind(_ index: Int32, _ value: String?) {
        if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds bytes without copying them: they have to stay where they are until the statement
    /// has run.
    package func bind(_ index: Int32, borrowed bytes: UnsafeRawBufferPointer, asText: Bool) {
        if asText {
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? EmptyText.start
            sqlite3_bind_text64(
                handle, index, start, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
        } else if let start = bytes.baseAddress, bytes.count > 0 {
            sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), nil)
        } else {
            // A null pointer would bind NULL.
            sqlite3_bind_zeroblob(handle, index, 0)
        }
    }

    /// Binds a copy of `bytes`.
    package func bind(_ index: Int32, copying bytes: [UInt8], asText: Bool) {
        bytes.withUnsafeBytes { raw in
            if asText {
                let start = raw.baseAddress?.assumingMemoryBound(to: CChar.self) ?? EmptyText.start
                sqlite3_bind_text64(
                    handle, index, start, UInt64(raw.count), Self.copied, UInt8(SQLITE_UTF8))
            } else if raw.count > 0 {
                sqlite3_bind_blob64(
                    handle, index, raw.baseAddress, UInt64(raw.count), Self.copied)
            } else {
                sqlite3_bind_zeroblob(handle, index, 0)
            }
        }
    }

    // MARK: Columns

    /// Number of columns of a row.
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// The value of a column, of which several things are asked: each question to the column itself
    /// takes a lock and looks for errors.
    ///
    /// SQLite does not protect it from other threads; none uses this connection meanwhile.
    private func value(_ column: Int32) -> OpaquePointer? { sqlite3_column_value(handle, column) }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func isText(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_TEXT
    }

    package func isInteger(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER
    }

    /// The names of the columns.
    package var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { column in
            sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
        }
    }

    /// The column as a number, at most ``maxInteger`` away from 0.
    package func integer(_ column: Int32) -> Int64 {
        Self.bounded(sqlite3_column_int64(handle, column))
    }

    private static func bounded(_ stored: Int64) -> Int64 {
        min(max(stored, -maxInteger), maxInteger)
    }

    /// The largest number that is read from a file.
    ///
    /// A file comes from outside, and its numbers are computed with: the sum or difference of two
    /// within these bounds is a number as well.
    package static let maxInteger: Int64 = 1 << 62 - 1

    package func optionalInteger(_ column: Int32) -> Int64? {
        let value = value(column)
        return sqlite3_value_type(value) == SQLITE_NULL
            ? nil : Self.bounded(sqlite3_value_int64(value))
    }

    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The column as text; bytes that are not UTF-8 are repaired.
    package func string(_ column: Int32) -> String {
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    package func optionalString(_ column: Int32) -> String? {
        isNull(column) ? nil : string(column)
    }

    package func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

    /// Reads the bytes of a text or blob without a copy; they are invalid after `body`.
    package func withBytes<Result, Failure: Error>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let value = value(column)
        // The pointer comes first: reading it may convert the value and change its size.
        let start =
            sqlite3_value_type(value) == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
        let count = Int(sqlite3_value_bytes(value))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// The bytes of a text or blob, which are valid until the next step.
    ///
    /// They are those of the file: what is not text in UTF-8 is not made so.
    package func borrowed(_ column: Int32) -> UnsafeRawBufferPointer {
        let value = value(column)
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// What SQLite takes for "copy this" (`SQLITE_TRANSIENT`, a macro that Swift does not see).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
