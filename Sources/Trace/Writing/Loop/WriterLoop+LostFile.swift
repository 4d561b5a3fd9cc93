internal import Platform
internal import Storage
internal import Wire

/// The writer's handling of a deleted, replaced or truncated file.
extension WriterLoop {
    /// The maximum bytes of a trace that are copied from a deleted file, since copying blocks
    /// writing.
    private static let maxCopied: Int64 = 256 << 20

    /// Checks whether the file is still there, and continues in another one if not.
    func lookNow() {
        guard !said.isLost, let loss = trace.file.watch.look() else { return }
        switch disk {
        case .locked(let batch, let owed, _): lose(loss, batch, owed: owed)
        case .full(let batch, _): lose(loss, batch, owed: 0)
        case .usable: lose(loss, nil, owed: 0)
        case .broken: return
        }
    }

    /// The file is lost: continues in another, or stops.
    ///
    /// `batch` could not be written yet, and `owed` is its room in the queue.
    func lose(_ loss: FileWatch.Loss, _ batch: Batch?, owed: Int) {
        let lost = lost(loss)
        do throws(TraceError) {
            guard options.onDiskFull == .pass else { throw lost.error }
            queue.hold()
            let isWhole = try moveOn(loss)
            let path = trace.file.path
            let place = "\(path), \(isWhole ? "with" : "without") the earlier traffic"
            report.move(to: path)
            report.fail(TraceError(.lost, "\(lost.what): the recording is in \(place)"))
            options.onWarning?("\(lost.what): recording goes on in \(place)")
        } catch {
            said.isLost = true
            trace.retire(loss)
            if let batch { report.count { $0.refused += Int64(batch.records.count) } }
            queue.release(owed, after: 0)
            return breakOff(error)
        }
        said.gap = nil
        guard let batch else {
            disk = .usable
            return queue.resume()
        }
        disk = .locked(batch: batch, owed: owed, retry: 0)
        recover(batch)
    }

    /// The loss as text, and the failure that it causes.
    func lost(_ loss: FileWatch.Loss) -> (what: String, error: TraceError) {
        let hope = loss == .truncated ? "" : ", unless it lies elsewhere now"
        let what = "\(trace.file.path) was \(loss.rawValue) while it was being written"
        return (
            what,
            TraceError(
                .lost,
                "\(what): what was recorded is lost\(hope)"
            )
        )
    }

    /// Opens another file and copies what is possible; returns whether that is everything.
    private func moveOn(_ loss: FileWatch.Loss) throws(TraceError) -> Bool {
        let path = try Self.newFile(beside: trace.file.path)
        let isWhole = loss != .truncated && copy(to: path)
        let position = trace.writer.position
        let old = trace.file.path
        trace.retire(loss)
        let start = start
        let session = session
        let next = try OpenTrace(path: path, options: options) { (db, _) throws(StorageFault) in
            isWhole
                ? try SessionWriter(db, session: session, at: position)
                : try SessionWriter(movingTo: db, start, session: session, at: position)
        }
        let text = "\(old) was \(loss.rawValue); the recording goes on here"
        var records: [Record] = isWhole ? [] : living.introduced(at: now())
        records.append(.event(EventRow(.warning, at: now(), detail: text)))
        do {
            try next.writer.commit(Batch(records: records[...]))
        } catch {
            throw error.traceError(at: path)
        }
        trace = next
        // It does not know what that file has.
        search = nil
        return isWhole
    }

    /// Copies what the lost file has, which is still open, to the empty file at `path`.
    private func copy(to path: String) -> Bool {
        let db = trace.file.connection
        do {
            let size = try db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size")
            guard size <= Self.maxCopied else { return false }
            let name = path.split(separator: "'", omittingEmptySubsequences: false)
                .joined(separator: "''")
            try db.execute("VACUUM INTO '\(name)'")
            return true
        } catch {
            _ = truncate(path, 0)
            return false
        }
    }

    /// An empty file beside the one at `path` that was not there before.
    private static func newFile(beside path: String) throws(TraceError) -> String {
        for number in 1...1_000 {
            let name = path + ".recovered" + (number == 1 ? "" : "-\(number)")
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                close(descriptor)
                return name
            }
            guard errno == EEXIST else {
                throw TraceError(
                    .lost,
                    "\(path) was lost while it was being written, and \(name) cannot be written: "
                        + "\(String(cString: strerror(errno))); check the directory")
            }
        }
        throw TraceError(
            .lost,
            "\(path) was lost while it was being written, and \(path).recovered up to "
                + "\(path).recovered-1000 exist already; move them away")
    }
}
