internal import Platform
internal import Synchronization
internal import Trace
internal import Wire

/// What reads the exchanges of an archive, in order of their starts.
protocol ArchiveReader {
    /// How many entries there are.
    var count: Int { get }
    /// When the first of them began; 0 without any.
    var startedUnixNanoseconds: Int64 { get }
    /// The exchange with this index, in order of their starts.
    func exchange(at index: Int) throws(FileError) -> ArchivedExchange
}

extension ArchiveReader {
    /// Gives out all exchanges.
    func exchanges(
        _ body: (ArchivedExchange) throws(FileError) -> Void
    ) throws(FileError) {
        for index in 0..<count { try body(exchange(at: index)) }
    }
}

/// Makes a trace of archived exchanges, in the same way as of live traffic: connections and chunks
/// go to a writer, and their meaning is decoded from them.
///
/// All or nothing: until it is whole the trace is in a folder beside its place.
final class ArchiveImport {
    /// The outcome of an archive.
    struct Outcome {
        /// Exchanges.
        var exchanges: Int64 = 0
        /// WebSocket messages.
        var messages: Int64 = 0
        /// Exchanges with oddities or missing parts; the warnings and gaps of their connections
        /// have the details.
        var odd: Int64 = 0
    }

    /// The session's clock, which shows the time of the last record.
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
    }

    private let trace: NewTrace
    private let writer: TraceWriter
    private let clock: Clock
    private let path: String
    private var timeline: ArchiveTimeline
    private var outcome = Outcome()
    private var isFinished = false

    /// Makes a new trace at `path` of all that `reader` gives out.
    ///
    /// - Parameters:
    ///   - reader: The archive.
    ///   - path: The trace, which must not exist.
    ///   - session: The session of the trace, by its start.
    ///   - progress: Called now and then with the share that is done, in 0...1; returns whether to go on.
    /// - Returns: The counts of what was read.
    /// - Throws: ``FileError``, with the byte where something in the archive is wrong.
    static func run(
        _ reader: some ArchiveReader, to path: String,
        _ session: (_ startedUnixNanoseconds: Int64) -> SessionStart, progress: (Double) -> Bool
    ) throws(FileError) -> Outcome {
        let target = try ArchiveImport(to: path, session(reader.startedUnixNanoseconds))
        for index in 0..<reader.count {
            try target.add(try reader.exchange(at: index)) { () throws(FileError) in
                try reader.exchange(at: index)
            }
            let done = index + 1
            guard done % 256 != 0 || progress(Double(done) / Double(reader.count)) else {
                throw .stopped
            }
        }
        return try target.finish()
    }

    /// Begins a new trace at `path`, which must not be there, with `session`.
    init(to path: String, _ session: SessionStart) throws(FileError) {
        self.path = path
        let trace = try NewTrace(for: Folder.absolute(path))
        let clock = Clock()
        var options = TraceOptions()
        options.onDiskFull = .stop
        options.isUnseen = true
        options.clock = { clock.now.load(ordering: .relaxed) }
        do throws(TraceError) {
            writer = try TraceWriter(path: trace.path, session: session, options: options)
        } catch {
            throw FileError(error)
        }
        self.trace = trace
        self.clock = clock
        timeline = ArchiveTimeline(
            startedUnixNanoseconds: session.startedUnixNanoseconds,
            nextConnection: writer.nextConnection, nextLeg: writer.nextLeg)
    }

    // The folder is deleted with the trace, after the writer's thread has released it.
    deinit { if !isFinished { writer.finish("stopped") } }

    /// Processes the next exchange, in order of their starts; `read` reads it again.
    func add(
        _ exchange: ArchivedExchange, read: @escaping ArchiveTimeline.Reading
    ) throws(FileError) {
        outcome.exchanges += 1
        outcome.messages += Int64(exchange.messages.count)
        let isMissing = exchange.request.missing > 0 || exchange.response?.missing ?? 0 > 0
        if !exchange.oddities.isEmpty || isMissing { outcome.odd += 1 }
        try timeline.add(exchange, put: put, read: read)
    }

    /// Writes what is left and brings the trace to its place.
    func finish() throws(FileError) -> Outcome {
        try timeline.finish(put)
        isFinished = true
        writer.finish("imported")
        try checkWriter()
        try trace.publish()
        return outcome
    }

    private func put(_ records: [Record], _ last: Instant) throws(FileError) {
        guard !records.isEmpty else { return }
        clock.now.store(last.nanoseconds, ordering: .relaxed)
        if !writer.put(records) {
            writer.flush()
            try checkWriter()
        }
    }

    private func checkWriter() throws(FileError) {
        guard let failure = writer.failure else { return }
        // The temporary path is of no use to the reader of the error.
        throw FileError(
            FileError(failure).code, failure.reason.replacing(trace.path, with: path))
    }
}
