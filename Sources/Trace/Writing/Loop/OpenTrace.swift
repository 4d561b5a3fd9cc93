internal import CSQLite
internal import Storage

/// A trace that is open for writing, with its writers.
final class OpenTrace {
    let file: TraceFile
    let writer: SessionWriter
    let indexer: SearchIndexer
    let keys: ChangeKeyIndexer
    let retention: Retention?
    let reserve: Reserve
    private let maxSize: Int64?

    /// Opens the trace at `path`, or creates it; `begin` makes what writes the session.
    init(
        path: String, options: TraceOptions,
        begin: (Connection, Reserve) throws(StorageFault) -> SessionWriter
    ) throws(TraceError) {
        file = try TraceFile(path: path, isUnseen: options.isUnseen)
        reserve = Reserve(for: path)
        maxSize = options.maxSize
        do throws(StorageFault) {
            let db = file.connection
            writer = try begin(db, reserve)
            indexer = try SearchIndexer(db)
            keys = try ChangeKeyIndexer(db)
            if options.maxSize != nil || options.keepLast != nil {
                retention = try Retention(
                    db, indexer: indexer, maxSize: options.maxSize, keepLast: options.keepLast,
                    shipped: ShippedBound(trace: path), evictsUnshipped: options.evictsUnshipped)
                writer.expectEviction()
            } else {
                retention = nil
            }
            if !options.isUnseen {
                let pageSize = try db.integer("PRAGMA page_size")
                file.moveLogBehindCommits(
                    many: options.maxSize.map {
                        Int64(SizeBound($0).checkpointPages(pageSize: pageSize))
                    })
            }
            // Locks are not waited for, since traffic would wait as well.
            db.waitForLocks(milliseconds: 0)
        } catch {
            throw error.traceError(at: path)
        }
        reserve.take()
    }

    /// Makes sure that the log can grow without exceeding the maximum size.
    ///
    /// - Throws: ``StorageFault/logIsHeld`` where a reader keeps the log from restarting.
    func makeRoomInLog() throws(StorageFault) {
        guard let maxSize, file.logSize > maxSize / 4, file.mayMoveLog else { return }
        let db = file.connection
        let size = try db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size")
        guard size + file.logSize > maxSize else { return }
        do {
            _ = try db.checkpoint(restarts: true)
        } catch {
            if error.isBusy { throw .logIsHeld }
        }
    }

    /// Closes a file that was moved; the log is moved into it first, since it may still exist
    /// elsewhere.
    func retire(_ loss: FileWatch.Loss) {
        reserve.release()
        file.abandon(isWhole: loss != .truncated)
    }
}

extension StorageFault {
    /// A reader keeps the log, which has grown too large, from restarting.
    static let logIsHeld = StorageFault(
        code: SQLITE_BUSY, message: "a reader keeps the log from being moved into the file")

    /// Whether it is ``logIsHeld`` rather than a lock of a writer.
    var isLogHeld: Bool { isBusy && message == Self.logIsHeld.message }
}
