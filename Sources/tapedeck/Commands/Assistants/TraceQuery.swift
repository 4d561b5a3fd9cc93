import Assistants
import CSQLite
import Foundation
import Notation
import Platform
import Storage
import Trace

/// Runs a query of others on a trace: one statement that only reads, for a bounded time.
///
/// The schema was compared with that of this program when the trace was opened: its views may call what
/// SQLite has for JSON.
struct TraceQuery {
    /// The path of the trace.
    let path: String

    /// Bytes of one value in the answer.
    private static let maxValue = 20_000
    /// Bytes of a text or blob in the statement's work.
    private static let maxLength: Int32 = 64 << 20
    /// Units of work of a statement, about ten seconds.
    private static let maxWork: Int64 = 1_000
    /// Bytes of the answer that are kept: more than one message has.
    private static let maxOutput = 80_000

    /// The rows, a JSON object on a line each, from the byte `offset` on.
    func run(_ query: String, offset: Int) throws(Failure) -> AssistantOutcome {
        do throws(StorageFault) {
            let uri = "file:" + PercentEncoding.encode(path, keeping: .path) + "?mode=ro"
            let db = try Connection(path: uri, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            defer { db.close() }
            try db.execute("PRAGMA mmap_size = 0")
            db.limitWork(units: Self.maxWork)
            return try rows(of: query, in: db, offset: offset)
        } catch {
            throw Failure(
                .data,
                "\(error.message); list what there is with SELECT name, sql FROM sqlite_schema")
        }
    }

    private func rows(
        of query: String, in db: Connection, offset: Int
    ) throws(StorageFault) -> AssistantOutcome {
        guard let handle = db.handle else { throw db.fault(SQLITE_MISUSE) }
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.maxLength)
        sqlite3_set_authorizer(handle, Self.authorize, nil)
        let statement = try prepare(query, handle, db)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_stmt_readonly(statement) != 0 else {
            throw StorageFault(code: SQLITE_AUTH, message: "a query only reads")
        }
        var output: [UInt8] = []
        var skipped = 0
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                let line = Array((Self.row(statement) + "\n").utf8)
                let rest = line.dropFirst(min(line.count, offset - skipped))
                skipped += line.count - rest.count
                output += rest
                guard output.count <= Self.maxOutput else {
                    return .text(output, hasMore: true, notice: "")
                }
            case SQLITE_DONE: return .text(output, hasMore: false, notice: "")
            case let code: throw db.fault(code)
            }
        }
    }

    private func prepare(
        _ query: String, _ handle: OpaquePointer, _ db: Connection
    ) throws(StorageFault) -> OpaquePointer {
        var statement: OpaquePointer?
        var hasMore = false
        let code = query.withCString { start in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(handle, start, -1, &statement, &tail)
            if let tail {
                hasMore = String(cString: tail).contains { !$0.isWhitespace && $0 != ";" }
            }
            return code
        }
        guard code == SQLITE_OK else { throw db.fault(code) }
        guard let statement, !hasMore else {
            sqlite3_finalize(statement)
            throw StorageFault(code: SQLITE_MISUSE, message: "a query is one statement")
        }
        return statement
    }

    /// Whether a statement may do something: read and compute, and no more.
    ///
    /// Full-text search asks for the version of the data.
    private static let authorize:
        @convention(c) (
            UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            UnsafePointer<CChar>?, UnsafePointer<CChar>?
        ) -> CInt = { _, action, first, _, _, _ in
            switch action {
            case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return SQLITE_OK
            case SQLITE_PRAGMA:
                let isVersion = first.map { String(cString: $0) } == "data_version"
                return isVersion ? SQLITE_OK : SQLITE_DENY
            default: return SQLITE_DENY
            }
        }

    private static func row(_ statement: OpaquePointer) -> String {
        var object = JSONObjectText()
        for column in 0..<sqlite3_column_count(statement) {
            let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: object.add(name, sqlite3_column_int64(statement, column))
            case SQLITE_FLOAT:
                let number = sqlite3_column_double(statement, column)
                object.add(name, raw: number.isFinite ? "\(number)" : "null")
            case SQLITE_NULL: object.add(name, raw: "null")
            case SQLITE_TEXT: object.add(name, text(bytes(statement, column)))
            default:
                let bytes = bytes(statement, column)
                object.add(
                    name,
                    String(validating: bytes, as: UTF8.self).map { text(Array($0.utf8)) }
                        ?? "base64:" + Base64.encode(bytes.prefix(maxValue * 3 / 4)))
            }
        }
        return object.text
    }

    private static func bytes(_ statement: OpaquePointer, _ column: CInt) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func text(_ bytes: [UInt8]) -> String {
        guard bytes.count > maxValue else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.prefix(maxValue), as: UTF8.self)
            + "… (\(bytes.count) bytes; substr() has the rest)"
    }
}
