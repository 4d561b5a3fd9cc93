public import Trace

/// Makes a trace of an HTTP archive (HAR 1.2).
///
/// `Formats.md` describes the resulting trace, and what an archive does not contain.
public enum HARImport {
    /// What was read.
    public struct Outcome: Hashable, Sendable {
        /// The program that made the archive, with version; empty where unknown.
        public var creator = ""
        /// Entries of the archive.
        public var entries = 0
        /// Exchanges made of them.
        public var exchanges: Int64 = 0
        /// WebSocket messages among them.
        public var messages: Int64 = 0
        /// Exchanges with oddities or missing parts; the warnings and gaps of their connections
        /// have the details.
        public var odd: Int64 = 0
        /// Entries that are not exchanges, by why, in words that follow a number of them.
        public var leftOut: [String: Int] = [:]
    }

    /// Imports the archive at `path` to a new trace, all or nothing.
    ///
    /// Memory is bounded by the exchanges that overlap in time, with their bodies, up to
    /// ``ArchiveTimeline/maxHeld``, by three times the largest body and by some 200 bytes for each
    /// entry.
    ///
    /// - Parameters:
    ///   - path: The archive.
    ///   - trace: The trace, which must not be there.
    ///   - version: Version of the program that writes the trace.
    ///   - arguments: The arguments, as on a command line.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was read.
    /// - Throws: ``FileError``, with the byte of the error in the archive.
    @discardableResult public static func run(
        from path: String, to trace: String, version: String, arguments: String,
        progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        let reader = try HARReader(path: path)
        let made = try ArchiveImport.run(
            reader, to: trace,
            {
                SessionStart(
                    provenance: .har, version: version, arguments: arguments,
                    startedUnixNanoseconds: $0)
            }, progress: progress)
        return Outcome(
            creator: reader.creator, entries: reader.entries, exchanges: made.exchanges,
            messages: made.messages, odd: made.odd, leftOut: reader.leftOut)
    }
}
