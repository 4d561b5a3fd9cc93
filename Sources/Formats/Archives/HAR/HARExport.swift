public import Trace
public import Wire

/// Writes a trace as an HTTP archive (HAR 1.2) that browsers and other tools open.
///
/// Bodies are decoded, WebSocket messages are written as Chrome does, and each exchange is written
/// as its receiver got it. `Formats.md` lists what an archive cannot contain.
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
    /// Memory does not grow with the trace. Tunnels are left out: their contents have their own
    /// entries.
    ///
    /// - Parameters:
    ///   - trace: The trace. It may be written meanwhile; what is there at the start is exported.
    ///   - path: The file, which must not be there.
    ///   - version: Version of the program that writes.
    ///   - including: Which exchanges; nil: all, which are read ahead.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was written.
    /// - Throws: ``FileError``.
    @discardableResult public static func run(
        from trace: String, to path: String, version: String,
        including: ((ExchangeID) -> Bool)? = nil, progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        try mappingErrors(of: trace) {
            // Reports a file that is not a trace, before anything is written.
            _ = try TraceReader(path: trace)
            let file = try NewFile(for: path)
            let writer = try HARWriter(trace: trace, to: file.writer, isWhole: including == nil)
            try writer.write(
                version: version, including: including ?? { _ in true }, progress: progress)
            try file.publish()
            return writer.outcome
        }
    }
}
