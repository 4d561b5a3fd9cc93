internal import Storage
internal import Wire

/// The reported problems of writing, and their losses.
struct ReportedTrouble {
    /// Whether it was said that rows are not shipped.
    var isUnshipped = false
    /// Whether it was reported that traffic goes on without being written.
    var isPassing = false
    /// Whether it was reported that the trace is locked.
    var isLocked = false
    /// Whether it was reported that a reader keeps the log from being moved.
    var isHeld = false
    /// Whether the file is lost and has no replacement.
    var isLost = false
    /// Whether recording was stopped.
    var isStopped = false
    /// Since when the trace is locked.
    var lockedSince: UInt64 = 0
    /// Bytes that are missing since they began to be.
    var lostBytes: Int64 = 0
    /// The row for missing bytes while their number is unknown.
    var gap: Int64?
}

/// The writer's handling of failed writes: it waits, counts, or continues in another file.
extension WriterLoop {
    /// Nanoseconds between two attempts to write to a trace that is locked.
    private static let lockInterval: UInt64 = 10_000_000
    /// Nanoseconds after which a locked trace is reported.
    private static let lockPatience: UInt64 = 1_000_000_000

    /// `batch`, which still takes its room in the queue, could not be committed.
    func fail(_ fault: StorageFault, _ batch: Batch) {
        if let loss = trace.file.watch.look() { return lose(loss, batch, owed: batch.cost) }
        if fault.isBusy { return wait(for: batch, owed: batch.cost, fault) }
        queue.release(batch.cost, after: 0)
        guard fault.isDisk else {
            report.count { $0.refused += Int64(batch.records.count) }
            return giveUp(fault)
        }
        fill(batch, fault)
    }

    /// An attempt to write what could not be written failed as well.
    private func postpone(_ batch: Batch, _ fault: StorageFault) {
        if let loss = trace.file.watch.look() {
            if case .locked(_, let owed, _) = disk { return lose(loss, batch, owed: owed) }
            return lose(loss, batch, owed: 0)
        }
        guard fault.isDisk || fault.isBusy else {
            if case .locked(_, let owed, _) = disk { queue.release(owed, after: 0) }
            return giveUp(fault)
        }
        guard case .locked(_, let owed, _) = disk else {
            disk = .full(batch: batch, retry: clock + UInt64(options.retryInterval))
            return
        }
        guard fault.isDisk else { return waitOn(batch, owed: owed) }
        queue.release(owed, after: 0)
        fill(batch, fault)
        queue.resume()
        write(held.drain())
    }

    // MARK: A lock

    /// Another program holds a lock: records are kept, and traffic does not wait.
    private func wait(for batch: Batch, owed: Int, _ fault: StorageFault) {
        queue.hold()
        said.lockedSince = clock
        disk = .locked(batch: batch, owed: owed, retry: clock + Self.lockInterval)
        if missing.isEmpty { missing.reason = fault.isLogHeld ? .diskFull : .locked }
    }

    /// Keeps records while the trace is locked, and counts those beyond the memory budget.
    func hold(_ records: ArraySlice<Record>) {
        for record in records where !missing.isEmpty || !held.take(record) {
            missing.take(record)
            queue.release(record.cost, after: 0)
        }
        guard !missing.isEmpty, !said.isPassing, !said.isStopped else { return }
        mark(missing.reason)
        let cause = lockCause
        if options.onDiskFull == .stop {
            return stop(TraceError(.busy, "\(cause.what); \(cause.remedy)"))
        }
        said.isPassing = true
        options.onWarning?(
            "\(cause.what): traffic goes on, bytes are missing from the trace from now on; "
                + cause.remedy)
    }

    /// The cause that keeps the trace from being written, and the remedy.
    private var lockCause: (what: String, remedy: String) {
        let path = trace.file.path
        guard missing.reason == .locked else {
            return (
                "\(path)-wal has \(trace.file.logSize >> 20) MB, beyond --max-size, because a "
                    + "program has been reading the trace in one transaction",
                "end \(LockHolders.text(.read, trace: path))"
            )
        }
        return (
            "\(path) is locked by another program",
            "end \(LockHolders.text(.write, trace: path)), or its transaction"
        )
    }

    /// Another attempt failed because of a lock.
    private func waitOn(_ batch: Batch, owed: Int) {
        disk = .locked(batch: batch, owed: owed, retry: clock + Self.lockInterval)
        guard !said.isLocked, !said.isPassing, clock >= said.lockedSince + Self.lockPatience
        else { return }
        said.isLocked = true
        let cause = lockCause
        options.onWarning?("\(cause.what): new traffic waits in memory; \(cause.remedy)")
    }

    // MARK: A full disk

    /// The disk has no room for `batch`.
    private func fill(_ batch: Batch, _ fault: StorageFault) {
        disk = .full(batch: batch, retry: clock + UInt64(options.retryInterval))
        missing.reason = .diskFull
        // Written at once, so that the missing bytes are recorded even if the program is killed
        // now. The rest of the reserve is not used by further attempts to write the batch.
        trace.file.movesLog = false
        trace.reserve.release()
        let isWritten = sayMissing(fault)
        trace.reserve.take()
        if !isWritten { mark(.diskFull) }
        if options.onDiskFull == .stop { return stop(fault.traceError(at: trace.file.path)) }
        guard !said.isPassing else { return }
        said.isPassing = true
        options.onWarning?(
            "the disk of \(trace.file.path) is full: traffic goes on, bytes are missing from the "
                + "trace from now on; free some space")
    }

    /// Records that bytes are missing from now on; their number is not known yet.
    private func sayMissing(_ fault: StorageFault) -> Bool {
        guard said.gap == nil else { return true }
        let text = "nothing could be written (\(fault.message)); bytes that follow may be missing"
        let row = trace.writer.position.counters.gap
        do {
            try trace.writer.commit(
                Batch(records: [
                    .event(EventRow(.warning, at: now(), detail: text)),
                    .gap(.unknown(.diskFull, at: now())),
                ]))
            said.gap = row
            return true
        } catch {
            return false
        }
    }

    private func mark(_ reason: GapRow.Reason) {
        trace.reserve.write(
            Reserve.Mark(
                reason: reason, sinceUnix: start.startedUnixNanoseconds + now().nanoseconds))
    }

    // MARK: Writing again

    /// Tries to write what could not be written, then what waited for it and what is missing since.
    func recover(_ batch: Batch) {
        do {
            if case .locked = disk { try trace.makeRoomInLog() }
            try commit(batch)
        } catch {
            return postpone(batch, error)
        }
        if case .locked(_, let owed, _) = disk { queue.release(owed, after: 0) }
        disk = .usable
        queue.resume()
        write(held.drain())
        if case .usable = disk { settleMissing() }
    }

    /// Writes what is missing, now that writing goes on.
    private func settleMissing() {
        if !missing.isEmpty {
            let records = missing.drain(at: now())
            for case .gap(let gap) in records { said.lostBytes += gap.count }
            let rest = decode(records[...])
            do {
                try commit(rest, forgetting: said.gap)
                said.gap = nil
            } catch {
                // More may be missing until it can be written: the row of unknown size stays till then.
                if error.isBusy { return wait(for: rest, owed: 0, error) }
                disk = .full(batch: rest, retry: 0)
                return postpone(rest, error)
            }
        }
        if let gap = said.gap { forget(gap) }
        trace.file.movesLog = true
        trace.reserve.erase()
        trace.reserve.take()
        if said.isPassing {
            options.onWarning?("writing again; \(said.lostBytes) bytes are missing")
        } else if said.isLocked {
            options.onWarning?("writing again; nothing is missing")
        }
        (said.isPassing, said.isLocked, said.lostBytes) = (false, false, 0)
    }

    /// Deletes the row with an unknown number of bytes: nothing is missing after all.
    private func forget(_ gap: Int64) {
        said.gap = nil
        try? trace.writer.transaction(deletes: true) { _ throws(StorageFault) in
            try trace.file.connection.execute("DELETE FROM gap WHERE id = \(gap)")
        }
    }

    // MARK: The end

    /// The final rows where nothing could be written up to the end: what is missing, without
    /// decoded rows.
    func giveUpBytes(_ batch: Batch) {
        trace.reserve.release()
        var lost = MissingBytes()
        lost.reason = missing.reason
        for record in batch.records { lost.take(record) }
        for record in held.drain() { lost.take(record) }
        for record in missing.drain(at: now()) { lost.take(record) }
        lost.take(
            .event(
                EventRow(
                    .warning, at: now(),
                    detail: "decoded rows may be incomplete: run tapedeck rebuild")))
        do {
            try commit(Batch(records: lost.drain(at: now())[...]), forgetting: said.gap)
            said.gap = nil
            disk = .usable
        } catch {
            report.fail(error.traceError(at: trace.file.path))
            mark(lost.reason)
        }
    }

    func say(_ text: String) {
        let event = Record.event(EventRow(.warning, at: now(), detail: text))
        // Where not even this can be written, later gap rows record it.
        try? commit(Batch(records: [event]))
    }

    func stop(_ error: TraceError) {
        guard !said.isStopped else { return }
        said.isStopped = true
        report.fail(error)
        options.onStop?(error)
    }

    /// SQLite fails in a way that waiting does not fix.
    func giveUp(_ fault: StorageFault) {
        breakOff(fault.traceError(at: trace.file.path))
    }

    /// Nothing more can be written.
    func breakOff(_ error: TraceError) {
        disk = .broken
        queue.resume()
        write(held.drain())
        stop(error)
    }

    // MARK: A reader

    /// Moves the log into the file, and reports a reader that makes it grow.
    func tendLog() {
        let size = trace.file.tendLog()
        let path = trace.file.path
        guard size >= options.largeLog, !said.isHeld,
            options.reportsOwnReader || !LockHolders.isOwn(.read, trace: path)
        else { return }
        said.isHeld = true
        options.onWarning?(
            "\(path)-wal has \(size >> 20) MB and grows with the traffic, because a program has "
                + "been reading the trace in one transaction; "
                + "end \(LockHolders.text(.read, trace: path))"
        )
    }
}
