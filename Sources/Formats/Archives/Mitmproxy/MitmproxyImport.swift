public import Trace

/// Makes a trace of a file of flows that mitmproxy wrote.
///
/// `Formats.md` describes the resulting trace, and what a flow does not contain.
public enum MitmproxyImport {
    /// What was read.
    public struct Outcome: Hashable, Sendable {
        /// Flows in the file.
        public var flows = 0
        /// Exchanges made of them.
        public var exchanges: Int64 = 0
        /// WebSocket messages among them.
        public var messages: Int64 = 0
        /// Exchanges with oddities or missing parts; the warnings and gaps of their connections
        /// have the details.
        public var odd: Int64 = 0
        /// Flows that are not exchanges, by why, in words that follow a number of them.
        public var leftOut: [String: Int] = [:]
        /// Bytes at the end that are the beginning of a flow and not all of it.
        public var cutOff = 0
    }

    /// Imports the flows at `path` to a new trace, all or nothing.
    ///
    /// Memory is bounded by the exchanges that overlap in time, with their bodies, and 24 bytes for
    /// each flow.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - trace: The trace, which must not be there.
    ///   - version: Version of the program that writes the trace.
    ///   - arguments: The arguments, as on a command line.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was read.
    /// - Throws: ``FileError``, with the byte of the error in the file.
    public static func run(
        from path: String, to trace: String, version: String, arguments: String,
        progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        let reader = try MitmproxyReader(path: path)
        let made = try ArchiveImport.run(
            reader, to: trace,
            {
                SessionStart(
                    provenance: .mitmproxy, version: version, arguments: arguments,
                    startedUnixNanoseconds: $0)
            }, progress: progress)
        return Outcome(
            flows: reader.flows, exchanges: made.exchanges, messages: made.messages,
            odd: made.odd, leftOut: reader.leftOut, cutOff: reader.cutOff)
    }
}
