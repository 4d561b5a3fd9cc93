internal import Dispatch
internal import Foundation
internal import Synchronization
public import Wire

/// Writes one session to a trace.
///
/// All records go through a bounded queue to the writer's thread, which decodes them and commits
/// them at most 50 ms after their arrival, as long as the disk keeps up. Killed at any time, the
/// trace is consistent and lacks at most that.
///
/// Theory of operation: records are numbered, decoded and written in the order in which they were
/// put. A batch is one transaction with its chunks, events and all rows that decoding made of them.
/// A batch that cannot be committed because the disk is full is kept and tried again; later records
/// are only counted, so that memory stays bounded, and become gap rows as soon as something can be
/// written. While another program locks the trace, records wait within the budget. A step of the
/// search index takes as long as one text and a merge take, so the thread builds it when nothing
/// arrived for 50 ms, every ten seconds otherwise, and at the end. The write-ahead log is moved
/// into the file by a separate thread.
public final class TraceWriter: RecordSink {
    private let queue: WriteQueue
    private let clock: @Sendable () -> Int64
    private let started: Int64
    private let connections: Atomic<Int64>
    private let legs: Atomic<Int64>
    private let report: WriterReport
    private let ended = DispatchSemaphore(value: 0)

    /// Number of the session.
    public let session: SessionID
    /// The file; another one once that in which it began was lost.
    public var path: String { report.path ?? firstPath }
    private let firstPath: String

    /// Opens the trace at `path`, or creates it readable by its owner only, and begins a session.
    ///
    /// - Parameters:
    ///   - path: The file. A trace that exists gains a session and nothing else of it changes.
    ///   - session: The properties of the session.
    ///   - options: How to write.
    /// - Throws: ``TraceError`` where the file is not a trace, is of a later format, is being
    ///   written by another program, or cannot be opened.
    public init(
        path: String, session: SessionStart, options: TraceOptions = TraceOptions()
    )
        throws(TraceError)
    {
        let queue = WriteQueue(budget: options.budget)
        let report = WriterReport()
        let clock = options.clock
        let started = clock()
        let opened = Mutex<Result<(session: Int64, counters: Counters), TraceError>?>(nil)
        let isOpen = DispatchSemaphore(value: 0)
        let ended = ended
        // The thread opens the trace itself, since nothing of SQLite may leave it.
        let answer = Box(opened)
        let thread = Thread {
            do throws(TraceError) {
                let loop = try WriterLoop(
                    path: path, start: session, options: options, queue: queue, report: report,
                    now: { Instant(nanoseconds: max(0, clock() - started)) })
                answer.value.withLock { $0 = .success((loop.session, loop.counters)) }
                isOpen.signal()
                loop.run()
            } catch {
                answer.value.withLock { $0 = .failure(error) }
                isOpen.signal()
            }
            ended.signal()
        }
        thread.name = "trace"
        thread.stackSize = 1 << 21
        thread.start()
        isOpen.wait()
        switch answer.value.withLock({ $0 }) {
        case .success(let opened):
            self.session = SessionID(opened.session)
            connections = Atomic(opened.counters.connection)
            legs = Atomic(opened.counters.leg)
        case .failure(let error): throw error
        case nil: throw TraceError(.storage, "\(path): the writer did not start")
        }
        firstPath = path
        self.queue = queue
        self.report = report
        self.clock = clock
        self.started = started
    }

    deinit { queue.finish() }

    /// Takes records that follow each other.
    ///
    /// - Returns: Whether there is room for more; false once the waiting records exceed the budget.
    public func put(_ records: consuming [Record]) -> Bool { queue.put(records) }

    /// Calls `resume` once, on the writer's thread, when less than half of the budget is in use.
    ///
    /// After the end it is called at once, on the calling thread.
    public func whenRoom(_ resume: @escaping @Sendable () -> Void) { queue.whenRoom(resume) }

    /// A new connection number, unique over all sessions of the trace.
    public func nextConnection() -> ConnectionID {
        ConnectionID(connections.add(1, ordering: .relaxed).oldValue)
    }

    /// A new leg number, unique over all sessions of the trace.
    public func nextLeg() -> LegID { LegID(legs.add(1, ordering: .relaxed).oldValue) }

    /// Nanoseconds since the session started.
    public func now() -> Instant { Instant(nanoseconds: max(0, clock() - started)) }

    /// The counts of the trace so far, as of the last commit.
    public var totals: TraceTotals {
        var totals = report.totals
        totals.refused += queue.refused
        return totals
    }

    /// Why nothing more could be written, if that happened.
    public var failure: TraceError? { report.failure }

    /// Waits until everything that was put before is committed or, on a full disk, counted.
    ///
    /// Blocks; never call it on an event loop.
    public func flush() {
        let done = DispatchSemaphore(value: 0)
        queue.whenWritten { done.signal() }
        done.wait()
    }

    /// Whether everything that was put is committed or, on a full disk, counted.
    public var isIdle: Bool { queue.isEmpty }

    /// Writes what waits, ends the session, completes the search index and closes the trace.
    ///
    /// Blocks; never call it on an event loop. Calls after the first wait for the same end.
    ///
    /// - Parameters:
    ///   - reason: How the session ended, as text.
    ///   - indexing: Receives the progress of the search index on the writer's thread, in 0...1;
    ///     returns whether to go on. Rows that are not indexed are found by reading, and indexed by
    ///     the next session.
    /// - Returns: The counts of what the session wrote to the trace.
    @discardableResult public func finish(
        _ reason: String = "finished", indexing: (@Sendable (Double) -> Bool)? = nil
    ) -> TraceTotals {
        report.end(reason: reason, indexing: indexing)
        queue.finish()
        ended.wait()
        ended.signal()
        return totals
    }
}

/// Carries a value that cannot be copied into a closure.
private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
}
