import CSQLite
import Dispatch
import Foundation
import NIOCore
import Synchronization

/// The least that keeps what was read in a SQLite file: a row for each read, and nothing else.
///
/// With `joinsReads` one row for all reads of a side within a commit.
final class Recorder: Sendable {
    private struct Read {
        var side: Int
        var at: UInt64
        var bytes: ByteBuffer
    }

    private struct State {
        var reads: [Read] = []
        var size = 0
        var next = 0
        var isEnding = false
    }

    /// Bytes that may wait for the writer; then event loops wait.
    private static let room = 8 << 20

    private let state = Mutex(State())
    private let joinsReads: Bool
    private let path: String
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String, joinsReads: Bool) {
        self.path = path
        self.joinsReads = joinsReads
        Thread { self.run() }.start()
    }

    /// A number for a connection.
    func number() -> Int {
        state.withLock {
            $0.next += 1
            return $0.next
        }
    }

    /// Takes what a side has read.
    func note(_ side: Int, _ bytes: ByteBuffer) {
        let at = DispatchTime.now().uptimeNanoseconds
        while true {
            let isTaken = state.withLock { state in
                guard state.size < Self.room else { return false }
                state.reads.append(Read(side: side, at: at, bytes: bytes))
                state.size += bytes.readableBytes
                return true
            }
            if isTaken { return }
            usleep(200)
        }
    }

    /// Writes what is left, and ends the thread.
    func end() {
        state.withLock { $0.isEnding = true }
        ended.wait()
    }

    private func run() {
        var db: OpaquePointer?
        guard sqlite3_open(path, &db) == SQLITE_OK else { exit(74) }
        defer { sqlite3_close(db) }
        func run(_ sql: String) {
            guard sqlite3_exec(db, sql, nil, nil, nil) == SQLITE_OK else { exit(74) }
        }
        run(
            """
            PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            PRAGMA wal_autocheckpoint = 256; PRAGMA cache_size = -4096;
            CREATE TABLE chunk (id INTEGER PRIMARY KEY, side INTEGER, at_ns INTEGER, bytes BLOB);
            """)
        var insert: OpaquePointer?
        sqlite3_prepare_v2(
            db, "INSERT INTO chunk (side, at_ns, bytes) VALUES (?, ?, ?)", -1, &insert, nil)
        defer { sqlite3_finalize(insert) }
        func keep(_ side: Int, _ at: UInt64, _ bytes: UnsafeRawBufferPointer) {
            sqlite3_bind_int64(insert, 1, Int64(side))
            sqlite3_bind_int64(insert, 2, Int64(at))
            sqlite3_bind_blob(insert, 3, bytes.baseAddress, Int32(bytes.count), nil)
            guard sqlite3_step(insert) == SQLITE_DONE else { exit(74) }
            sqlite3_reset(insert)
        }
        var reads: [Read] = []
        while true {
            usleep(10_000)
            let isEnding = state.withLock { state in
                swap(&reads, &state.reads)
                state.size = 0
                return state.isEnding
            }
            if !reads.isEmpty {
                run("BEGIN")
                if joinsReads {
                    joined(reads).forEach { side, read in
                        read.bytes.withUnsafeBytes { keep(side, read.at, $0) }
                    }
                } else {
                    for read in reads {
                        read.bytes.withUnsafeReadableBytes { keep(read.side, read.at, $0) }
                    }
                }
                run("COMMIT")
            }
            let isDone = isEnding && reads.isEmpty
            reads.removeAll(keepingCapacity: true)
            if isDone { break }
        }
        ended.signal()
    }

    /// The reads of each side after each other, each with its time and size before it.
    private func joined(_ reads: [Read]) -> [Int: (at: UInt64, bytes: [UInt8])] {
        var sides: [Int: (at: UInt64, bytes: [UInt8])] = [:]
        for read in reads {
            var side = sides.removeValue(forKey: read.side) ?? (read.at, [])
            withUnsafeBytes(of: (read.at, read.bytes.readableBytes)) { side.bytes += $0 }
            side.bytes += read.bytes.readableBytesView
            sides[read.side] = side
        }
        return sides
    }
}
