import Assistants
import Foundation

/// Does what a server of assistants asks for.
final class AssistantWorker: Sendable {
    private let traces: AssistantTraces
    private let recordings = AssistantRecordings()

    init(_ traces: AssistantTraces) { self.traces = traces }

    /// Does it, on the thread of the caller.
    ///
    /// - Parameters:
    ///   - work: What.
    ///   - flag: Set where the outcome is not wanted any more.
    ///   - progress: Called now and then while a copy is made, with how much is done and of what.
    /// - Returns: What became of it.
    func `do`(
        _ work: AssistantWork, until flag: CancelFlag,
        progress: @escaping AssistantTraces.Progress
    ) -> AssistantOutcome {
        do throws(Failure) {
            switch work.action {
            case .command(let arguments):
                return try run(arguments, offset: work.offset, flag, progress)
            case .query(let query, let trace):
                let path = try traces.readable(trace, progress)
                return try TraceQuery(path: path).run(query, offset: work.offset)
            case .startRecording(let trace, let arguments):
                return ours(try recordings.start(Self.path(trace), arguments))
            case .stopRecording(let handle): return ours(try recordings.stop(handle))
            case .recordings: return ours(recordings.list)
            }
        } catch {
            return .failed(error.detail)
        }
    }

    /// Ends what was started and removes what was written.
    func end() {
        recordings.stopAll()
        traces.removeAll()
    }

    /// Text of this program, which is short.
    private func ours(_ text: String) -> AssistantOutcome {
        .text(Array(text.utf8), hasMore: false, notice: "")
    }

    private func run(
        _ arguments: [AssistantWork.Argument], offset: Int, _ flag: CancelFlag,
        _ progress: @escaping AssistantTraces.Progress
    ) throws(Failure) -> AssistantOutcome {
        var words: [String] = []
        for argument in arguments {
            switch argument {
            case .text(let word): words.append(word)
            case .trace(let named): words.append(try traces.readable(named, progress))
            case .recorded(let named): words.append(Self.path(try traces.path(named)))
            }
        }
        let done = try OwnCommand.run(words, offset: offset, until: flag)
        // A finding or a difference is no failure here.
        guard done.isCut || done.status <= Failure.Status.failed.rawValue else {
            throw Failure(.failed, done.errors.isEmpty ? "status \(done.status)" : done.errors)
        }
        return .text(done.output, hasMore: done.isCut, notice: done.errors)
    }

    /// A path that no command takes for an option.
    static func path(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }
}
