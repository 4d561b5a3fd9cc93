import Dispatch
import Replaying
import Synchronization
import Trace
import Wire

/// Hands batches of rows from a thread of its own, which reads them, to the one that takes them in.
///
/// A few are under way at most, so that memory does not depend on how many there are.
struct RowBatches<Batch: Sendable>: Sendable {
    private final class State: Sendable {
        let waiting = Mutex<[Result<Batch, TraceError>]>([])
        let ready = DispatchSemaphore(value: 0)
        let room = DispatchSemaphore(value: 4)
    }

    private let state = State()

    /// Reads with `body`, which gives away batches, and takes each with `take`, in order.
    static func pass(
        from body: @escaping @Sendable ((Batch) -> Void) throws(TraceError) -> Void,
        to take: (Batch) -> Void
    ) throws(TraceError) {
        let batches = RowBatches()
        let state = batches.state
        DispatchQueue.global(qos: .userInitiated).async {
            func put(_ result: Result<Batch, TraceError>?) {
                state.room.wait()
                // Nothing but a signal says that there are no more.
                if let result { state.waiting.withLock { $0.append(result) } }
                state.ready.signal()
            }
            do throws(TraceError) {
                try body { put(.success($0)) }
            } catch {
                put(.failure(error))
            }
            put(nil)
        }
        var failure: TraceError?
        while true {
            state.ready.wait()
            let next = state.waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            state.room.signal()
            switch next {
            case .success(let batch): take(batch)
            case .failure(let error): failure = error
            case nil:
                if let failure { throw failure }
                return
            }
        }
    }
}

/// Exchanges with their texts one after the other.
struct ExchangeBatch: Sendable {
    /// Rows of a batch.
    static let most = 1_024

    private struct Row {
        var id: ExchangeID
        var connection: ConnectionID
        var port: Int
        var status: Int?
        var startedAt: Instant
        var respondedAt: Instant?
        var endedAt: Instant?
        var hasQuery: Bool
        /// Where api, method, host, path and query end.
        var ends: (Int, Int, Int, Int, Int)
    }

    private var bytes: [UInt8] = []
    private var rows: [Row] = []

    var count: Int { rows.count }

    mutating func append(_ row: ReplayExchangeRow) {
        func end(_ text: UnsafeRawBufferPointer) -> Int {
            bytes.append(contentsOf: text)
            return bytes.count
        }
        let ends = (
            end(row.api), end(row.method), end(row.host), end(row.path),
            row.query.map { end($0) } ?? bytes.count
        )
        rows.append(
            Row(
                id: row.id, connection: row.connection, port: row.port, status: row.status,
                startedAt: row.startedAt, respondedAt: row.respondedAt, endedAt: row.endedAt,
                hasQuery: row.query != nil, ends: ends))
    }

    /// Adds them at the end of `exchanges`.
    func append(to exchanges: inout RecordedExchanges) {
        bytes.withUnsafeBytes { bytes in
            var start = 0
            func text(_ end: Int) -> UnsafeRawBufferPointer {
                defer { start = end }
                return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            }
            for row in rows {
                let (api, method, host) = (text(row.ends.0), text(row.ends.1), text(row.ends.2))
                let (path, query) = (text(row.ends.3), text(row.ends.4))
                exchanges.append(
                    RecordedExchanges.Row(
                        id: row.id, connection: row.connection, api: api, method: method,
                        host: host, port: row.port, path: path,
                        query: row.hasQuery ? query : nil, status: row.status,
                        startedAt: row.startedAt, respondedAt: row.respondedAt,
                        endedAt: row.endedAt))
            }
        }
    }
}

/// Commands with their names and `ccid`s one after the other.
struct CommandBatch: Sendable {
    /// Rows of a batch.
    static let most = 1_024

    private struct Row {
        var id: CommandID
        var socket: ConnectionID
        var message: MessageID
        var sender: Peer
        var at: Instant
        var channel: Int?
        /// Where its name ends.
        var end: Int
        /// Number of its `ccid`s.
        var ccids = 0
    }

    private var bytes: [UInt8] = []
    private var rows: [Row] = []
    private var ends: [Int] = []

    var count: Int { rows.count }

    mutating func append(_ row: ReplayCommandRow) {
        bytes.append(contentsOf: row.name)
        rows.append(
            Row(
                id: row.id, socket: row.socket, message: row.message, sender: row.sender,
                at: row.at, channel: row.channel, end: bytes.count))
    }

    /// Adds a `ccid` to the last one.
    mutating func append(ccid: UnsafeRawBufferPointer) {
        guard !rows.isEmpty else { return }
        bytes.append(contentsOf: ccid)
        ends.append(bytes.count)
        rows[rows.count - 1].ccids += 1
    }

    /// Adds them at the end of `commands`, and notes the last message of each socket.
    func append(to commands: inout RecordedCommands, last: inout [ConnectionID: MessageID]) {
        bytes.withUnsafeBytes { bytes in
            var (start, next) = (0, 0)
            func text(_ end: Int) -> UnsafeRawBufferPointer {
                defer { start = end }
                return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            }
            for row in rows {
                commands.append(
                    row.id, row.socket, row.sender, row.at, row.channel, name: text(row.end))
                for _ in 0..<row.ccids {
                    commands.addCCID(text(ends[next]))
                    next += 1
                }
                last[row.socket] = row.message
            }
        }
    }
}
