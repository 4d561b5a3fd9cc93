internal import Storage
public import Trace

/// Makes a trace of a recording, as ``RecordingExport`` writes it.
///
/// What was seen and stated is as it was, numbers included; the rest is built from it by the same
/// road as `tapedeck rebuild`. Connections of which bytes were evicted have nothing built for them,
/// since what their rows were made of is not in the recording either.
public enum RecordingImport {
    /// What was read.
    public struct Outcome: Hashable, Sendable {
        /// Sessions of the trace.
        public var sessions: Int64 = 0
        /// Lines that were read.
        public var lines: Int64 = 0
        /// Exchanges that were found in it.
        public var exchanges: Int64 = 0
        /// WebSocket messages that were found in it.
        public var messages: Int64 = 0
        /// Simperium commands that were found in it.
        public var commands: Int64 = 0
    }

    /// Imports the recording in `folder` to a new trace at `path`, all or nothing.
    ///
    /// Until it is complete the trace is in a folder beside `path`. Memory is bounded by the
    /// longest line, of at most 64 MiB.
    ///
    /// - Parameters:
    ///   - folder: The recording.
    ///   - path: The trace, which must not be there.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: What was read.
    /// - Throws: ``FileError``, with file and line of the error.
    @discardableResult public static func run(
        from folder: String, to path: String, progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        let head = try RecordingHead(folder: folder)
        let target = Folder.absolute(path)
        let trace = try NewTrace(for: target)
        return try mappingErrors(of: path) {
            let loader = try RecordingLoader(trace, folder: folder, head)
            let lines = try loader.load { progress(0.5 * $0) }
            var goesOn = true
            let found: Rebuild.Outcome
            do throws(TraceError) {
                found = try Rebuild.run(path: trace.path) { share in
                    if !progress(0.5 + 0.5 * share) { goesOn = false }
                }
            } catch {
                // The temporary path is of no use to the reader of the error.
                throw TraceError(
                    error.code, error.reason.replacing(trace.path, with: path))
            }
            guard goesOn else { throw FileError.stopped }
            try loader.setDerivedCounters()
            try trace.publish()
            return Outcome(
                sessions: Int64(head.sessions.count), lines: lines, exchanges: found.exchanges,
                messages: found.messages, commands: found.commands)
        }
    }
}
