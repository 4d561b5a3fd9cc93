internal import CCurl
internal import CurlShim
internal import Platform
internal import Wire

/// The one thread of a manager: carries out what the queue commands with one multi handle.
final class TransferThread {
    private struct Entry {
        let order: TransferLoop.Order
        /// The result of the last attempt.
        var outcome = TransferOutcome()
    }

    private let loop: TransferLoop
    private let multi: MultiHandle
    /// The cookies of all transfers; nil where none are kept.
    private let cookies: CookieShare?
    private var queue: RequestQueue
    private var entries: [UInt64: Entry] = [:]
    private var transfers: [UInt64: Transfer] = [:]
    private var idOfHandle: [UnsafeMutableRawPointer: UInt64] = [:]
    private var isStopped = false

    init(_ loop: TransferLoop, _ multi: MultiHandle) {
        self.loop = loop
        self.multi = multi
        cookies = loop.settings.keepsCookies ? CookieShare() : nil
        queue = RequestQueue(width: loop.settings.width, backoff: loop.settings.backoff)
        // As many connections are kept as can be in use.
        _ = shim_multi_setopt_long(
            multi.pointer, CURLMOPT_MAXCONNECTS, max(loop.settings.width, 1))
    }

    /// Runs until the manager is released.
    func run() {
        // Signals are for the program's other threads; writing to a closed connection must raise
        // none here.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        while !isStopped {
            for item in loop.take() { accept(item) }
            handle(.ticked)
            var running: Int32 = 0
            curl_multi_perform(multi.pointer, &running)
            // What ended may have allowed others to start, which need a turn at once.
            if !collect() {
                curl_multi_poll(multi.pointer, nil, 0, patience(), nil)
            }
        }
        loop.close()
        curl_multi_cleanup(multi.pointer)
    }

    private func accept(_ item: TransferLoop.Item) {
        switch item {
        case .order(let order):
            var entry = Entry(order: order)
            switch order.request {
            case .success:
                entries[order.id] = entry
                handle(.added(order.id, order.priority, retryCount: order.retryCount))
            case .failure(let error):
                entry.outcome.error = error
                entries[order.id] = entry
                handle(.refused(order.id))
            }
        case .event(let event):
            handle(event)
            if case .stopped = event { isStopped = true }
        }
    }

    private func handle(_ event: QueueEvent) {
        var events = [event]
        while !events.isEmpty {
            var commands: [QueueCommand] = []
            for event in events { queue.handle(event, at: Self.now(), into: &commands) }
            events = []
            for command in commands {
                if let event = carryOut(command) { events.append(event) }
            }
        }
    }

    /// - Returns: What happened at once.
    private func carryOut(_ command: QueueCommand) -> QueueEvent? {
        switch command {
        case .start(let id, _): return start(id)
        case .abort(let id):
            release(id)?.abandon()
        case .complete(let id, let attempts, let isCancelled):
            guard let entry = entries.removeValue(forKey: id) else { return nil }
            let outcome = isCancelled ? TransferOutcome(error: .cancelled) : entry.outcome
            entry.order.tell(
                Response(
                    metadata: outcome.metadata, data: outcome.data, error: outcome.error,
                    requestTag: entry.order.tag, attempts: attempts))
        }
        return nil
    }

    private func start(_ id: UInt64) -> QueueEvent? {
        guard case .success(let prepared) = entries[id]?.order.request else { return nil }
        entries[id]?.outcome = TransferOutcome()
        do {
            let transfer = try Transfer(prepared, loop.settings, cookies)
            guard curl_multi_add_handle(multi.pointer, transfer.easy) == CURLM_OK else {
                throw HTTPError.aborted("libcurl has no memory")
            }
            transfers[id] = transfer
            idOfHandle[transfer.easy] = id
            return nil
        } catch {
            let failure = error as? HTTPError ?? .aborted("\(error)")
            return finished(id, TransferOutcome(error: failure))
        }
    }

    /// Takes the transfers that ended; false where there were none.
    private func collect() -> Bool {
        var ended: [(UnsafeMutableRawPointer, CURLcode)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi.pointer, &left) {
            var code = CURLE_OK
            // The message is freed once its handle is removed.
            if let easy = shim_done_handle(message, &code) { ended.append((easy, code)) }
        }
        for (easy, code) in ended {
            guard let id = idOfHandle[easy], let transfer = release(id) else { continue }
            handle(finished(id, transfer.outcome(code)))
        }
        return !ended.isEmpty
    }

    private func finished(_ id: UInt64, _ outcome: TransferOutcome) -> QueueEvent {
        entries[id]?.outcome = outcome
        return .finished(id, outcome.result)
    }

    private func release(_ id: UInt64) -> Transfer? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        idOfHandle[transfer.easy] = nil
        curl_multi_remove_handle(multi.pointer, transfer.easy)
        return transfer
    }

    /// Milliseconds until the next retry, at most a minute; a wake-up ends the wait earlier.
    private func patience() -> Int32 {
        guard let due = queue.nextDue else { return 60_000 }
        let left = due.nanoseconds - Self.now().nanoseconds
        return Int32(min(max((left + 999_999) / 1_000_000, 0), 60_000))
    }

    private static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
