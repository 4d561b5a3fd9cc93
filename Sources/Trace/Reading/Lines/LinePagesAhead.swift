internal import CSQLite
internal import Dispatch
internal import Foundation
internal import Storage
internal import Synchronization

/// The pages of a listing, read by several threads ahead of whoever takes them.
///
/// At most a few are buffered, so that memory does not depend on their number.
final class LinePagesAhead {
    private struct Work {
        var next: Int64
        var size: PageSize
        /// The number of the next page to be read.
        var claimed = 0
        var pages: [Int: Result<LinePage, StorageFault>] = [:]
        var isOver = false
    }

    private final class State: Sendable {
        let work: Mutex<Work>
        let end: Int64
        // From 0 on: one that has less than in the beginning may not be freed.
        let room = DispatchSemaphore(value: 0)
        let ready = DispatchSemaphore(value: 0)

        init(_ work: sending Work, end: Int64) {
            self.work = Mutex(work)
            self.end = end
        }
    }

    /// Threads, as many as usual machines have processors to spare.
    private static let threads = min(2, ProcessInfo.processInfo.activeProcessorCount)
    private static let buffered = 4

    /// Whether reading ahead is worth it on this machine.
    static var isUseful: Bool { threads > 1 }

    private let state: State
    private var taken = 0

    /// Begins to read the lines of `query` with numbers in `range` of the trace at `path`.
    init(path: String, _ query: LineQuery, _ range: ClosedRange<Int64>, _ size: PageSize) {
        let state = State(Work(next: range.lowerBound, size: size), end: range.upperBound)
        self.state = state
        for _ in 0..<Self.buffered { state.room.signal() }
        for _ in 0..<Self.threads {
            // Not those of a queue: it has as many as processors, and all of them may wait here.
            let thread = Thread { Self.read(state, path, query) }
            thread.name = "pages"
            thread.start()
        }
    }

    deinit {
        state.work.withLock { $0.isOver = true }
        for _ in 0..<Self.threads { state.room.signal() }
    }

    /// The next page; not to be asked for behind the last.
    func next() throws(StorageFault) -> LinePage {
        let number = taken
        taken += 1
        while true {
            if let page = state.work.withLock({ $0.pages.removeValue(forKey: number) }) {
                state.room.signal()
                return try page.get()
            }
            state.ready.wait()
        }
    }

    private static func read(_ state: State, _ path: String, _ query: LineQuery) {
        var opened: (reader: TraceReader, statement: Statement)?
        while true {
            state.room.wait()
            let claim = state.work.withLock { work -> (number: Int, range: ClosedRange<Int64>)? in
                guard !work.isOver, work.next <= state.end else { return nil }
                let last = min(
                    state.end, work.next.addingReportingOverflow(work.size.numbers - 1).partialValue
                )
                defer {
                    work.next = last + 1
                    work.claimed += 1
                }
                return (work.claimed, work.next...last)
            }
            guard let claim else {
                // The other threads may wait for room as well.
                state.room.signal()
                return
            }
            let began = ContinuousClock.now
            let page = Result { () throws(StorageFault) in
                if let opened { return try query.page(claim.range, opened.statement) }
                let source = try open(path, query)
                opened = source
                return try query.page(claim.range, source.statement)
            }
            let took = began.duration(to: .now)
            state.work.withLock { work in
                if case .success(let page) = page {
                    work.size.learn(lines: page.keys.count, took: took)
                }
                work.pages[claim.number] = page
            }
            state.ready.signal()
        }
    }

    private static func open(
        _ path: String, _ query: LineQuery
    ) throws(StorageFault) -> (reader: TraceReader, statement: Statement) {
        let reader: TraceReader
        do throws(TraceError) {
            reader = try TraceReader(path: path)
        } catch {
            throw StorageFault(code: SQLITE_ERROR, message: error.description)
        }
        // Rows are read in their order: what a processor keeps near itself is all that comes again.
        try reader.db.execute("PRAGMA cache_size = -1024")
        return (reader, try query.prepare(reader.db))
    }
}
