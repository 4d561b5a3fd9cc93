internal import CSQLite
internal import Dissection
internal import Storage
internal import Wire

/// The decoded rows of a whole trace, which a separate thread makes.
struct DecodedTruth {
    /// What some records of one session in a row gave.
    struct Batch: Sendable {
        var session: Int64 = 1
        var rows: [DerivedRow] = []
        /// The numbers that are free after them.
        var numbers = DissectorNumbers()
        /// The last chunk among the records.
        var last: ChunkID?
    }

    private let batches: RowBatches<Batch>
    private let isDropped = Flagged()

    /// Bytes of chunks that are decoded for one batch, about.
    private static let most = 1 << 18

    /// Begins to decode the trace at `path`, as it is now for other connections.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - left: Connections that are left out.
    ///   - flushesAlways: Whether rows that depend on others come with them.
    init(path: String, leavingOut left: Set<Int64>, flushesAlways: Bool) {
        let isDropped = isDropped
        batches = RowBatches { (put) throws(TraceError) in
            do throws(StorageFault) {
                let db = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
                defer { db.close() }
                try Self.decode(
                    TruthCursor(db), leavingOut: left, flushesAlways, while: { !isDropped.isSet },
                    put)
            } catch {
                throw error.traceError(at: path)
            }
        }
    }

    /// The next batch; nil when there are no more.
    func next() throws(StorageFault) -> Batch? {
        do throws(TraceError) {
            return try batches.next()
        } catch {
            throw StorageFault(code: SQLITE_ERROR, message: error.description)
        }
    }

    /// Ends the thread.
    func drop() {
        isDropped.set()
        batches.drop()
    }

    private static func decode(
        _ cursor: TruthCursor, leavingOut left: Set<Int64>, _ flushesAlways: Bool,
        while isWanted: () -> Bool, _ put: (Batch) -> Void
    ) throws(StorageFault) {
        var dissector = Dissector(first: DissectorNumbers())
        var batch = Batch()
        var size = 0
        func pass(to session: Int64) {
            batch.numbers = dissector.numbers
            let count = batch.rows.count
            put(batch)
            batch = Batch(session: session)
            // Rows are large: an array that grows moves them.
            batch.rows.reserveCapacity(count)
            size = 0
        }
        while isWanted(), let entry = try cursor.next() {
            if let next = entry.session, next > batch.session {
                // The session before it was killed: its open rows stay open.
                dissector.flush(into: &batch.rows)
                dissector = Dissector(first: dissector.numbers)
                pass(to: next)
            }
            if let connection = entry.record.connection, left.contains(connection.rawValue) {
                continue
            }
            dissector.consume(entry.record, chunk: entry.chunk, into: &batch.rows)
            if flushesAlways { dissector.flush(into: &batch.rows) }
            if case .event(let event) = entry.record, event.kind == .sessionEnded {
                dissector.flush(into: &batch.rows)
                dissector.finish(at: event.at, into: &batch.rows)
            }
            batch.last = entry.chunk ?? batch.last
            size += entry.record.cost
            if size >= most { pass(to: batch.session) }
        }
        dissector.flush(into: &batch.rows)
        pass(to: batch.session)
    }
}

extension Record {
    /// The connection it belongs to, if any.
    fileprivate var connection: ConnectionID? {
        switch self {
        case .connection(let row): row.id
        case .leg(let row): row.connection
        case .chunk(let row): row.connection
        case .event(let row): row.connection
        case .gap(let row): row.connection
        case .mark, .fault, .finding, .packet, .secret: nil
        }
    }
}
