public import Capturing
internal import Synchronization
public import Trace

/// Makes a trace of a file of packets, pcap or pcapng, in the same way as of live traffic.
public enum CaptureImport {
    /// How to read it.
    public struct Options: Sendable {
        /// Secrets of TLS: lines of an NSS key log, and what to call them.
        public var secrets: [(source: String, keyLog: [UInt8])] = []
        /// Whether packets are kept beside what is made of them, for an export as they were.
        public var keepsPackets = false
        /// Version of the program that writes.
        public var version: String
        /// The arguments, as on a command line.
        public var arguments: String

        /// The usual way.
        public init(version: String, arguments: String) {
            self.version = version
            self.arguments = arguments
        }
    }

    /// What was read.
    public struct Outcome: Sendable {
        /// The outcome of the packets.
        public var totals: CaptureTotals
        /// What else there was in the file.
        public var blocks: BlockCounts
        /// What is in the trace.
        public var trace: TraceTotals
        /// Why the file was not read to its end; nil where it was.
        public var problem: String?
    }

    /// Shows the time of the last packet as the session's clock.
    private final class Clock: Sendable {
        let last = Atomic<Int64>(0)
    }

    /// Imports the file at `path` to a new trace.
    ///
    /// Until it is complete the trace is in a folder beside its path. A file that is damaged
    /// somewhere gives a trace of what precedes the damage.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - trace: The trace, which must not be there.
    ///   - options: How.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was read.
    /// - Throws: ``FileError``.
    public static func run(
        from path: String, to trace: String, _ options: Options,
        progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        let file = try reading { () throws(CaptureError) in try CaptureFile(path: path) }
        // Its time is that of the session.
        var ahead: [Reading] = []
        var problem: String?
        var first: Int64?
        func next() -> Reading? {
            do throws(CaptureError) {
                return try file.next()
            } catch {
                problem = error.reason
                return nil
            }
        }
        var packets: [CapturedPacket] = []
        if options.keepsPackets { file.keep = { packets.append($0) } }
        while first == nil, let reading = next() {
            ahead.append(reading)
            if case .segment(let segment) = reading { first = segment.atUnixNanoseconds }
        }
        let started = min(first ?? 0, packets.first?.atUnixNanoseconds ?? .max)
        let place = try NewTrace(for: Folder.absolute(trace))
        let clock = Clock()
        let writer = try writer(place, started, clock, options)
        var isFinished = false
        defer { if !isFinished { writer.finish("stopped") } }
        let session = CaptureSession(
            to: writer, startedUnixNanoseconds: started, keepsPackets: options.keepsPackets)
        for (source, keyLog) in options.secrets { session.addSecrets(keyLog, from: source) }
        var done = 0
        func take(_ reading: Reading) throws(FileError) {
            if !packets.isEmpty {
                for packet in packets { session.keep(packet) }
                packets.removeAll(keepingCapacity: true)
            }
            if case .segment(let segment) = reading {
                let since = segment.atUnixNanoseconds - started
                if since > clock.last.load(ordering: .relaxed) {
                    clock.last.store(since, ordering: .relaxed)
                }
            }
            session.take(reading)
            done += 1
            guard done % 4_096 == 0 else { return }
            try check(writer, place, trace)
            let share = file.size > 0 ? Double(file.bytesRead) / Double(file.size) : 0
            guard progress(min(1, share)) else { throw .stopped }
        }
        for reading in ahead { try take(reading) }
        while let reading = next() { try take(reading) }
        for packet in packets { session.keep(packet) }
        let totals = session.finish(packets: file.counts)
        isFinished = true
        writer.finish(problem == nil ? "imported" : "imported in part")
        try check(writer, place, trace)
        try place.publish()
        return Outcome(
            totals: totals, blocks: file.blocks, trace: writer.totals, problem: problem)
    }

    private static func writer(
        _ place: NewTrace, _ started: Int64, _ clock: Clock, _ options: Options
    ) throws(FileError) -> TraceWriter {
        var writing = TraceOptions()
        writing.onDiskFull = .stop
        writing.isUnseen = true
        writing.clock = { clock.last.load(ordering: .relaxed) }
        do throws(TraceError) {
            return try TraceWriter(
                path: place.path,
                session: SessionStart(
                    provenance: .pcap, version: options.version, arguments: options.arguments,
                    startedUnixNanoseconds: started),
                options: writing)
        } catch {
            throw FileError(error)
        }
    }

    private static func check(
        _ writer: TraceWriter, _ place: NewTrace, _ path: String
    ) throws(FileError) {
        guard let failure = writer.failure else { return }
        // The temporary path is of no use to the reader of the error.
        throw FileError(
            FileError(failure).code, failure.reason.replacing(place.path, with: path))
    }

    private static func reading<T>(
        _ body: () throws(CaptureError) -> T
    ) throws(FileError) -> T {
        do throws(CaptureError) {
            return try body()
        } catch {
            throw FileError(error)
        }
    }
}

extension FileError {
    /// The same failure of a capture.
    public init(_ error: CaptureError) {
        let code: Code =
            switch error.code {
            case .cannotOpen, .noInterface, .notPermitted, .badExpression: .cannotOpen
            case .unknownFormat, .compressed, .malformed: .malformed
            case .storage: .storage
            }
        self.init(code, error.reason)
    }
}
