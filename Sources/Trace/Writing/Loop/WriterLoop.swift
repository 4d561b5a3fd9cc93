internal import Dispatch
internal import Dissection
internal import Storage
internal import Wire

/// The loop of the writer's thread.
final class WriterLoop {
    /// Whether and why nothing can be written.
    enum Disk {
        case usable
        /// Another program holds a lock; `batch` was decoded and is tried again from `retry` on,
        /// and what follows is held. `owed` is the room of the batch in the queue.
        case locked(batch: Batch, owed: Int, retry: UInt64)
        /// There is no room; `batch` was decoded and is tried again from `retry` on, and what
        /// follows is counted.
        case full(batch: Batch, retry: UInt64)
        /// SQLite fails for good.
        case broken
    }

    var trace: OpenTrace
    let options: TraceOptions
    let queue: WriteQueue
    let report: WriterReport
    let now: () -> Instant
    let start: SessionStart
    private var dissector: Dissector
    private var nextChunk: Int64
    private(set) var living = LivingConnections()
    var disk = Disk.usable
    /// Records that arrived while the trace was locked.
    var held: HeldRecords
    /// Records that arrived while nothing could be written and are not kept.
    var missing = MissingBytes()
    var said = ReportedTrouble()
    private var lastEviction: UInt64 = 0
    private var lastLook: UInt64 = 0
    /// What builds the search index of a trace that nobody reads yet, instead of the indexer.
    var search: SearchBuilder?
    /// When the search index was worked on last.
    private var lastSlice: UInt64 = 0
    /// When the search index may be tried again after the disk had no room for it.
    private var indexRetry: UInt64 = 0

    /// Number of the session.
    let session: Int64
    /// The numbers that were free when the session began.
    let counters: Counters

    init(
        path: String, start: SessionStart, options: TraceOptions, queue: WriteQueue,
        report: WriterReport, now: @escaping () -> Instant
    ) throws(TraceError) {
        trace = try OpenTrace(path: path, options: options) {
            (db, reserve) throws(StorageFault) in
            try SessionWriter(beginning: start, in: db, after: reserve.leftBehind)
        }
        self.options = options
        self.queue = queue
        self.report = report
        self.now = now
        self.start = start
        // A quarter of the budget is left for what waits in the queue meanwhile.
        held = HeldRecords(budget: options.budget / 4 * 3)
        session = trace.writer.session
        counters = trace.writer.position.counters
        nextChunk = trace.writer.nextChunk
        dissector = Dissector(
            first: DissectorNumbers(
                exchange: counters.exchange, message: counters.message, command: counters.command))
        lastLook = clock
        lastSlice = lastLook
        if options.isUnseen, options.indexesSearch, trace.retention == nil {
            search = SearchBuilder(beside: path, isUnseen: true)
        }
    }

    // MARK: The loop

    /// Writes until the queue is finished.
    func run() {
        while true {
            switch queue.next(deadline: deadline, spareWorkFrom: spareWorkFrom) {
            case .records(let records):
                write(records)
                queue.callFlushes()
            case .spare(let until):
                spare(until: until)
            case .finish(let records):
                write(records)
                end()
                queue.close()
                return
            }
            look()
        }
    }

    private var hasSpareWork: Bool {
        guard case .usable = disk, options.indexesSearch,
            search == nil && !trace.indexer.isDone || !trace.keys.isDone
        else { return false }
        return indexRetry == 0 || clock >= indexRetry
    }

    /// When background work is due even under constant traffic, nil where there is none.
    ///
    /// A step of the search index takes as long as one text and a merge take, and writing waits
    /// for it.
    private var spareWorkFrom: UInt64? { hasSpareWork ? lastSlice + 10_000_000_000 : nil }

    /// When something is due even without traffic.
    private var deadline: UInt64? {
        switch disk {
        case .full(_, let retry), .locked(_, _, let retry): retry
        case .usable:
            min(
                lastLook + max(1_000_000, UInt64(options.lookInterval)),
                trace.retention == nil ? .max : lastEviction + 1_000_000_000)
        case .broken: nil
        }
    }

    private func spare(until: UInt64) {
        switch disk {
        case .locked(let batch, _, let retry), .full(let batch, let retry):
            if clock >= retry { recover(batch) }
            return
        case .usable, .broken: break
        }
        if hasSpareWork, clock < until {
            defer { lastSlice = clock }
            do {
                _ = try trace.keys.slice { self.queue.isPressed(until: until) }
                if search == nil {
                    _ = try trace.indexer.slice { self.queue.isPressed(until: until) }
                }
            } catch {
                // The index continues later; a disk without room for it may still have room for
                // bytes.
                indexRetry = clock + 1_000_000_000
                if !error.isBusy, !error.isDisk { giveUp(error) }
            }
        }
        // The index takes room as well.
        evict()
        tendLog()
    }

    var clock: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Checks once a second that the file is still there.
    private func look() {
        guard clock >= lastLook + UInt64(options.lookInterval) else { return }
        lastLook = clock
        lookNow()
    }

    // MARK: Writing

    /// Bytes of records that go into one transaction; a bounded trace must not grow far by one.
    private var batchSize: Int { Int(min(2 << 20, max(options.maxSize ?? .max, 4 << 20) / 32)) }

    func write(_ records: [Record]) {
        var start = 0
        let batchSize = min(batchSize, queue.share)
        while start < records.count {
            var end = start
            var cost = 0
            // A fault precedes the bytes it is about, and other rows may stand between.
            var faulted: ConnectionID?
            while end < records.count, cost < batchSize || faulted != nil {
                switch records[end] {
                case .fault(let fault) where fault.isAhead: faulted = fault.connection
                case .chunk(let chunk) where chunk.connection == faulted: faulted = nil
                default: break
                }
                cost += records[end].cost
                end += 1
            }
            write(records[start..<end], cost: cost)
            start = end
        }
    }

    private func write(_ records: ArraySlice<Record>, cost: Int) {
        switch disk {
        case .locked(let batch, _, let retry), .full(let batch, let retry):
            if clock >= retry { recover(batch) }
        case .usable, .broken: break
        }
        switch disk {
        case .broken:
            report.count { $0.refused += Int64(records.count) }
            queue.release(cost, after: 0)
        case .full:
            for record in records { missing.take(record) }
            queue.release(cost, after: 0)
        case .locked:
            hold(records)
        case .usable:
            let began = clock
            let batch = decode(records)
            do {
                try trace.makeRoomInLog()
                try commit(batch)
                evict()
                tendLog()
                let took = clock - began
                trace.file.letLogCatchUp()
                queue.release(cost, after: took)
            } catch {
                fail(error, batch)
            }
        }
    }

    /// Numbers and decodes `records`.
    func decode(_ records: ArraySlice<Record>) -> Batch {
        var rows: [DerivedRow] = []
        rows.reserveCapacity(2 * records.count)
        for record in records {
            if case .chunk = record {
                dissector.consume(record, chunk: ChunkID(nextChunk), into: &rows)
                nextChunk += 1
            } else {
                living.take(record)
                dissector.consume(record, chunk: nil, into: &rows)
            }
        }
        dissector.flush(into: &rows)
        return Batch(records: records, rows: rows)
    }

    /// Writes `batch`, in place of the gap of a size that was not known until now.
    func commit(_ batch: Batch, forgetting known: Int64? = nil) throws(StorageFault) {
        if let limit = options.pageLimit?() {
            try trace.file.connection.execute("PRAGMA max_page_count = \(limit)")
        }
        try trace.writer.commit(
            batch, dissector: dissector.numbers, indexer: trace.indexer, keys: trace.keys,
            forgetting: known)
        if let search { for row in batch.rows { search.add(row) } }
        report.count { totals in
            let (records, rows) = (batch.records.span, batch.rows.span)
            for index in records.indices { totals.count(records[index]) }
            for index in rows.indices { totals.count(rows[index]) }
        }
        guard let onCommit = options.onCommit else { return }
        let reported = batch.rows.filter { row in
            switch row {
            case .exchange(let exchange): exchange.outcome != .open
            case .command, .message: true
            default: false
            }
        }
        if !reported.isEmpty { onCommit(reported) }
    }

    private func evict() {
        guard let retention = trace.retention, case .usable = disk else { return }
        let started = clock
        // By size after every commit, by age once a second.
        guard options.maxSize != nil || started >= lastEviction + 1_000_000_000 else { return }
        lastEviction = started
        do {
            let amount = try retention.run(
                trace.writer, living: living,
                unixNow: start.startedUnixNanoseconds + now().nanoseconds,
                until: { self.clock >= started + 30_000_000 })
            sayUnshipped(retention.unshipped)
            guard amount.chunks > 0 else { return }
            report.count { totals in
                totals.evictedChunks += amount.chunks
                totals.evictedBytes += amount.bytes
            }
        } catch {
            if !error.isBusy, !error.isDisk { giveUp(error) }
        }
    }

    /// Says once that the trace grows, or that rows are lost to the fleet.
    private func sayUnshipped(_ unshipped: Retention.Unshipped?) {
        guard let unshipped, !said.isUnshipped else { return }
        said.isUnshipped = true
        switch unshipped {
        case .kept:
            options.onWarning?(
                "the trace grows beyond its bounds, since its oldest traffic was not shipped yet; "
                    + "ship it, or record with --evict-unshipped")
        case .evicted:
            options.onWarning?(
                "the oldest traffic is deleted before it was shipped, as --evict-unshipped asks for"
            )
        }
    }

    // MARK: The end

    private func end() {
        lookNow()
        // There is no session left to end.
        guard !said.isLost else { return }
        trace.file.connection.waitForLocks(milliseconds: 5_000)
        switch disk {
        case .locked(let batch, _, _), .full(let batch, _): recover(batch)
        case .usable, .broken: break
        }
        switch disk {
        case .locked(let batch, _, _), .full(let batch, _):
            giveUpBytes(batch)
            trace.file.connection.waitForLocks(milliseconds: 0)
        case .usable, .broken: break
        }
        if case .usable = disk {
            if trace.writer.leftOut > 0 {
                say("\(trace.writer.leftOut) decoded rows had a number twice")
            }
            endSession()
            completeIndex()
        }
        guard !said.isLost else { return }
        trace.reserve.end()
        try? trace.file.settle()
        // Without the log, which is removed by now.
        if let loss = trace.file.watch.lookAtFile() { report.fail(lost(loss).error) }
        trace.file.close()
    }

    private func endSession() {
        let end = EventRow(.sessionEnded, at: now(), detail: report.end.reason)
        var batch = decode([.event(end)])
        dissector.finish(at: end.at, into: &batch.rows)
        do {
            try commit(batch)
        } catch {
            trace.reserve.release()
            do {
                try commit(batch)
            } catch {
                report.fail(error.traceError(at: trace.file.path))
            }
        }
    }

    private func completeIndex() {
        guard options.indexesSearch else { return }
        let progress = report.end.indexing
        do {
            while !trace.keys.isDone {
                let slice = clock + 20_000_000
                guard try trace.keys.slice(isEnd: true, until: { self.clock >= slice }) else {
                    break
                }
                tendLog()
                if let progress, !progress(try trace.indexer.share()) { return }
            }
            if let search, try search.publish() { return }
            search = nil
            while !trace.indexer.isDone {
                let slice = clock + 20_000_000
                guard try trace.indexer.slice(until: { self.clock >= slice }) else { break }
                evict()
                tendLog()
                if let progress, !progress(try trace.indexer.share()) { break }
            }
        } catch {
            if !error.isDisk { report.fail(error.traceError(at: trace.file.path)) }
        }
    }
}
