internal import Dispatch
internal import Dissection
internal import Storage
internal import Wire

/// What the writer's thread does.
final class WriterLoop {
    private enum Disk {
        case well
        /// Nothing can be written; `batch` was decoded and is tried again from `retry` on.
        case full(batch: Batch, retry: UInt64)
        /// SQLite fails for good.
        case broken
    }

    private let file: TraceFile
    private let writer: SessionWriter
    private let indexer: SearchIndexer
    private let lettingGo: LettingGo?
    private let reserve: Reserve
    private let options: TraceOptions
    private let queue: WriteQueue
    private let report: WriterReport
    private let now: () -> Instant
    private let startedUnix: Int64
    private var dissector: Dissector
    private var nextChunk: Int64
    private var living = LivingConnections()
    private var disk = Disk.well
    private var missing = MissingBytes()
    /// Whether it was said that traffic goes on without being written.
    private var isPassing = false
    /// Bytes that are missing since then.
    private var lostBytes: Int64 = 0
    private var lastLettingGo: UInt64 = 0
    /// When the search index may be tried again after the disk had no room for it.
    private var indexRetry: UInt64 = 0
    private var isStopped = false

    /// Number of the session.
    let session: Int64
    /// The numbers that were free when the session began.
    let counters: Counters

    init(
        path: String, start: SessionStart, options: TraceOptions, queue: WriteQueue,
        report: WriterReport, now: @escaping () -> Instant
    ) throws(TraceError) {
        file = try TraceFile(path: path, isUnseen: options.isUnseen)
        self.options = options
        self.queue = queue
        self.report = report
        self.now = now
        startedUnix = start.startedUnixNanoseconds
        reserve = Reserve(for: path)
        do throws(StorageFault) {
            writer = try SessionWriter(beginning: start, in: file.connection)
            indexer = try SearchIndexer(file.connection)
            if options.maxSize != nil || options.keepLast != nil {
                lettingGo = try LettingGo(
                    file.connection, indexer: indexer, maxSize: options.maxSize,
                    keepLast: options.keepLast)
                if let maxSize = options.maxSize {
                    file.checkpointPages = SizeBound(maxSize).checkpointPages(
                        pageSize: try file.connection.integer("PRAGMA page_size"))
                    try file.checkpoints(true)
                }
            } else {
                lettingGo = nil
            }
        } catch {
            throw error.told(about: path)
        }
        session = writer.session
        counters = writer.position.counters
        nextChunk = writer.nextChunk
        dissector = Dissector(
            first: DissectorNumbers(
                exchange: counters.exchange, message: counters.message, command: counters.command))
        reserve.take()
    }

    // MARK: The loop

    /// Writes until the queue is told to finish.
    func run() {
        while true {
            switch queue.next(deadline: deadline, hasSpareWork: hasSpareWork) {
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
        }
    }

    private var hasSpareWork: Bool {
        guard case .well = disk, options.indexesSearch, !indexer.isDone else { return false }
        return indexRetry == 0 || clock >= indexRetry
    }

    /// When something is to be done though nothing comes.
    private var deadline: UInt64? {
        switch disk {
        case .full(_, let retry): retry
        case .well: lettingGo == nil ? nil : lastLettingGo + 1_000_000_000
        case .broken: nil
        }
    }

    private func spare(until: UInt64) {
        if case .full(let batch, let retry) = disk {
            if clock >= retry { recover(batch) }
            return
        }
        if hasSpareWork {
            do {
                _ = try indexer.slice { self.queue.isPressed(until: until) }
            } catch {
                // The index is built again from where it was; a disk without room for it is not
                // yet one without room for bytes.
                indexRetry = clock + 1_000_000_000
                if !error.isBusy, !error.isDisk { giveUp(error) }
            }
        }
        // The index takes room as well.
        letGo()
    }

    private var clock: UInt64 { DispatchTime.now().uptimeNanoseconds }

    // MARK: Writing

    /// Bytes of records that go into one transaction; a bounded trace must not grow far by one.
    private var batchSize: Int { Int(min(2 << 20, max(options.maxSize ?? .max, 4 << 20) / 32)) }

    private func write(_ records: [Record]) {
        var start = 0
        let batchSize = min(batchSize, queue.share)
        while start < records.count {
            var end = start
            var cost = 0
            // A fault stands right before the bytes it is about.
            while end < records.count, cost < batchSize || records[end - 1].isFault {
                cost += records[end].cost
                end += 1
            }
            let began = clock
            write(records[start..<end])
            queue.release(cost, after: clock - began)
            start = end
        }
    }

    private func write(_ records: ArraySlice<Record>) {
        switch disk {
        case .broken:
            report.count { $0.refused += Int64(records.count) }
            return
        case .full(let batch, let retry):
            if clock >= retry { recover(batch) }
            if case .full = disk {
                for record in records { missing.take(record) }
                return
            }
        case .well: break
        }
        let batch = decode(records)
        do {
            try commit(batch)
            letGo()
        } catch {
            fail(error, batch)
        }
    }

    /// Numbers and decodes `records`.
    private func decode(_ records: ArraySlice<Record>) -> Batch {
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

    private func commit(_ batch: Batch) throws(StorageFault) {
        if let limit = options.pageLimit?() {
            try file.connection.execute("PRAGMA max_page_count = \(limit)")
        }
        try writer.commit(batch, dissector: dissector.numbers, indexer: indexer)
        report.count { totals in
            for record in batch.records { totals.count(record) }
            for row in batch.rows { totals.count(row) }
        }
        guard let onCommit = options.onCommit else { return }
        let told = batch.rows.filter { row in
            switch row {
            case .exchange(let exchange): exchange.outcome != .open
            case .command, .message: true
            default: false
            }
        }
        if !told.isEmpty { onCommit(told) }
    }

    private func letGo() {
        guard let lettingGo, case .well = disk else { return }
        let started = clock
        // By size after every commit, by age once a second.
        guard options.maxSize != nil || started >= lastLettingGo + 1_000_000_000 else { return }
        lastLettingGo = started
        do {
            let amount = try lettingGo.run(
                writer, living: living, unixNow: startedUnix + now().nanoseconds,
                until: { self.clock >= started + 30_000_000 })
            guard amount.chunks > 0 else { return }
            report.count { totals in
                totals.letGoChunks += amount.chunks
                totals.letGoBytes += amount.bytes
            }
        } catch {
            if !error.isBusy, !error.isDisk { giveUp(error) }
        }
    }

    // MARK: A full disk

    /// `batch` could not be committed.
    private func fail(_ fault: StorageFault, _ batch: Batch) {
        guard fault.isDisk || fault.isBusy else {
            report.count { $0.refused += Int64(batch.records.count) }
            return giveUp(fault)
        }
        disk = .full(batch: batch, retry: clock + UInt64(options.retryInterval))
        // Said at once: whoever kills us now still finds out that bytes are missing. What is left
        // of the reserve is not touched by further attempts to write the batch.
        try? file.checkpoints(false)
        reserve.release()
        say("nothing could be written (\(fault.message)); bytes that follow may be missing")
        reserve.take()
        if options.onDiskFull == .stop { return stop(fault) }
        guard !isPassing else { return }
        isPassing = true
        let cause =
            fault.isDisk
            ? "the disk of \(file.path) is full"
            : "\(file.path) cannot be written (\(fault.message))"
        options.onWarning?(
            "\(cause): traffic goes on, bytes are missing from the trace from now on; "
                + (fault.isDisk ? "free some space" : "end what holds it"))
    }

    /// Tries to write again what could not be written, and then what is missing since.
    private func recover(_ batch: Batch) {
        do {
            try commit(batch)
            disk = .well
        } catch {
            return postpone(batch, error)
        }
        if !missing.isEmpty {
            let records = missing.drain(at: now())
            for case .gap(let gap) in records { lostBytes += gap.count }
            let rest = decode(records[...])
            do {
                try commit(rest)
            } catch {
                return postpone(rest, error)
            }
        }
        try? file.checkpoints(true)
        reserve.take()
        guard isPassing else { return }
        options.onWarning?("writing again; \(lostBytes) bytes are missing")
        isPassing = false
        lostBytes = 0
    }

    private func postpone(_ batch: Batch, _ fault: StorageFault) {
        guard fault.isDisk || fault.isBusy else { return giveUp(fault) }
        disk = .full(batch: batch, retry: clock + UInt64(options.retryInterval))
    }

    /// The last words on a disk that is still full: what is missing, without what decoding found.
    private func giveUpBytes(_ batch: Batch) {
        reserve.release()
        var lost = MissingBytes()
        for record in batch.records { lost.take(record) }
        for record in missing.drain(at: now()) { lost.take(record) }
        lost.take(
            .event(
                EventRow(
                    .warning, at: now(),
                    says: "decoded rows may be incomplete: run tapedeck rebuild")))
        do {
            try commit(Batch(records: lost.drain(at: now())[...]))
            disk = .well
        } catch {
            report.fail(error.told(about: file.path))
        }
    }

    private func say(_ text: String) {
        let event = Record.event(EventRow(.warning, at: now(), says: text))
        // Where not even this can be written, the gap rows to come will tell it.
        try? commit(Batch(records: [event]))
    }

    private func stop(_ fault: StorageFault) {
        guard !isStopped else { return }
        isStopped = true
        let error = fault.told(about: file.path)
        report.fail(error)
        options.onStop?(error)
    }

    /// SQLite fails in a way that waiting does not mend.
    private func giveUp(_ fault: StorageFault) {
        disk = .broken
        stop(fault)
    }

    // MARK: The end

    private func end() {
        if case .full(let batch, _) = disk { recover(batch) }
        if case .full(let batch, _) = disk { giveUpBytes(batch) }
        if case .well = disk {
            if writer.leftOut > 0 { say("\(writer.leftOut) decoded rows had a number twice") }
            endSession()
            completeIndex()
        }
        reserve.release()
        try? file.settle()
        file.close()
    }

    private func endSession() {
        let end = EventRow(.sessionEnded, at: now(), says: report.end.reason)
        var batch = decode([.event(end)])
        dissector.finish(at: end.at, into: &batch.rows)
        do {
            try commit(batch)
        } catch {
            reserve.release()
            do {
                try commit(batch)
            } catch {
                report.fail(error.told(about: file.path))
            }
        }
    }

    private func completeIndex() {
        guard options.indexesSearch else { return }
        let progress = report.end.indexing
        do {
            while !indexer.isDone {
                let slice = clock + 20_000_000
                guard try indexer.slice(until: { self.clock >= slice }) else { break }
                letGo()
                if let progress, !progress(try indexer.share()) { break }
            }
        } catch {
            if !error.isDisk { report.fail(error.told(about: file.path)) }
        }
    }
}
