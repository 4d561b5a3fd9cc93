internal import Dispatch
internal import Foundation
internal import Synchronization

/// Batches of rows that a separate thread reads, for one consumer.
///
/// At most a few are buffered, so that memory does not depend on their number. The consumer takes
/// all, or drops the rest.
package struct RowBatches<Batch: Sendable>: Sendable {
    private final class State: Sendable {
        let waiting = Mutex<[Result<Batch, TraceError>?]>([])
        let ready = DispatchSemaphore(value: 0)
        // From 0 on: one that has less than in the beginning may not be freed.
        let room = DispatchSemaphore(value: 0)
        let isOver = Flagged()

        init() { for _ in 0..<8 { room.signal() } }
    }

    private let state = State()

    /// Begins to read with `body`, which passes on batches.
    package init(reading body: @escaping @Sendable ((Batch) -> Void) throws(TraceError) -> Void) {
        let state = state
        // Not one of a queue: it has as many as processors, and all of them may wait here.
        let thread = Thread {
            func put(_ result: Result<Batch, TraceError>?) {
                state.room.wait()
                state.waiting.withLock { $0.append(result) }
                state.ready.signal()
            }
            do throws(TraceError) {
                try body { put(.success($0)) }
            } catch {
                put(.failure(error))
            }
            put(nil)
        }
        thread.name = "rows"
        thread.start()
    }

    /// The next batch; nil when there are no more.
    package func next() throws(TraceError) -> Batch? {
        guard !state.isOver.isSet else { return nil }
        state.ready.wait()
        let next = state.waiting.withLock { $0.removeFirst() }
        state.room.signal()
        guard let next else {
            state.isOver.set()
            return nil
        }
        return try next.get()
    }

    /// Drops the remaining batches, so that the thread ends.
    package func drop() {
        while !state.isOver.isSet { _ = try? next() }
    }
}
