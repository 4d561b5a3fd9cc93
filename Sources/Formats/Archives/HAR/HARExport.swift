public import Trace
public import Wire

/// Writes a trace as an HTTP archive (HAR 1.2) that browsers and other tools open.
///
/// Bodies are decoded, WebSocket messages stand as Chrome writes them, and what each exchange got is
/// told as its receiver got it. What an archive cannot hold stands in `Formats.md`.
public enum HARExport {
    /// What was written.
    public struct Outcome: Hashable, Sendable {
        /// Entries.
        public var entries: Int64 = 0
        /// WebSocket messages among them.
        public var messages: Int64 = 0
        /// Exchanges whose request is not whole yet or was evicted, so that there is no entry.
        public var leftOut: Int64 = 0
    }

    /// Exports the trace at `trace` to a new file at `path`, all or nothing, readable by its owner
    /// alone.
    ///
    /// Memory does not grow with the trace. Tunnels are left out: what went through them stands for
    /// itself.
    ///
    /// - Parameters:
    ///   - trace: The trace. It may be written meanwhile; what is there at the start is exported.
    ///   - path: The file, which must not be there.
    ///   - version: Version of the program that writes.
    ///   - including: Which exchanges; all unless told.
    ///   - progress: Told now and then how much is done, in 0...1; answers whether to go on.
    /// - Returns: What was written.
    /// - Throws: ``FileError``.
    @discardableResult public static func run(
        from trace: String, to path: String, version: String,
        including: (ExchangeID) -> Bool = { _ in true }, progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        try mappingErrors(of: trace) {
            // Says what is wrong with a file that is no trace, before anything is made.
            _ = try TraceReader(path: trace)
            let file = try NewFile(for: path)
            let writer = try HARWriter(trace: trace, to: file.writer)
            try writer.write(version: version, including: including, progress: progress)
            try file.publish()
            return writer.outcome
        }
    }
}
