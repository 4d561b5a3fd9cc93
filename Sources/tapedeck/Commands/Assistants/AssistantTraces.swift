import Foundation
import Redaction
import Synchronization
import Trace

/// The traces that an assistant reads: copies without secrets, made when they are first needed and
/// again where the trace has grown.
final class AssistantTraces: Sendable {
    private struct Copy {
        let state: FileState
        let folder: String
        let path: String
    }

    /// What a file was like when it was copied.
    private struct FileState: Hashable {
        var sizes: [Int64] = []
        var times: [Date] = []

        init(of path: String) {
            for suffix in ["", "-wal"] {
                let facts = try? FileManager.default.attributesOfItem(atPath: path + suffix)
                guard let size = facts?[.size] as? NSNumber,
                    let time = facts?[.modificationDate] as? Date
                else { continue }
                sizes.append(size.int64Value)
                times.append(time)
            }
        }
    }

    /// Called now and then while a copy is made, with how much of it is done and what it is.
    typealias Progress = @Sendable (Double, String) -> Void

    private struct Waiting {
        let path: String
        let progress: Progress
    }

    /// Traces of which there are copies at once.
    private static let maxTraces = 8

    private let named: String?
    private let hasSecrets: Bool
    /// Under one key a secret has the same placeholder in all copies.
    private let redaction = Redaction()
    /// The copies of each trace, of which the last is current: others may still be opened.
    private let copies = Mutex<[String: [Copy]]>([:])
    /// Calls that wait for a copy, whoever makes it.
    private let waiting = Mutex<(last: Int, calls: [Int: Waiting])>((0, [:]))
    /// Set at the end; a call that is cancelled leaves its copy in progress, which the next one needs.
    private let isOver = CancelFlag()

    init(named: String?, hasSecrets: Bool) {
        self.named = named
        self.hasSecrets = hasSecrets
    }

    /// The path of a trace as it is; the one that the program was started with where nil.
    func path(_ path: String?) throws(Failure) -> String {
        guard let path = path ?? named else { throw Failure(.usage, "name the trace") }
        return path
    }

    /// The path of what may be read of a trace.
    ///
    /// - Parameters:
    ///   - trace: The path of the trace; nil for that of the program.
    ///   - progress: Called now and then while a copy is made.
    /// - Returns: That of a copy without secrets, or of the trace itself.
    /// - Throws: ``Failure`` where it is no trace or cannot be copied.
    func readable(_ trace: String?, _ progress: @escaping Progress) throws(Failure) -> String {
        let path = AssistantWorker.path(try path(trace))
        do { _ = try TraceReader(path: path) } catch { throw Failure(error) }
        guard !hasSecrets else { return path }
        let number = waiting.withLock { waiting in
            waiting.last += 1
            waiting.calls[waiting.last] = Waiting(path: path, progress: progress)
            return waiting.last
        }
        defer { waiting.withLock { waiting in waiting.calls[number] = nil } }
        let copied: Result<String, Failure> = copies.withLock { copies in
            do throws(Failure) {
                return .success(try current(path, in: &copies))
            } catch {
                return .failure(error)
            }
        }
        return try copied.get()
    }

    private func current(
        _ path: String, in copies: inout [String: [Copy]]
    ) throws(Failure) -> String {
        let state = FileState(of: path)
        if let last = copies[path]?.last, last.state == state { return last.path }
        do throws(FileError) {
            let folder = try TraceFiles.makeFolder()
            let copy = Copy(
                state: state, folder: folder,
                path: folder + "/" + URL(fileURLWithPath: path).lastPathComponent)
            do throws(FileError) {
                try redaction.write(from: path, to: copy.path) { share in
                    say(share, of: path)
                    return !isOver.isSet
                }
            } catch {
                Self.remove(copy)
                throw error
            }
            copies[path, default: []].append(copy)
            while let old = copies[path], old.count > 2 {
                Self.remove(old[0])
                copies[path]?.removeFirst()
            }
            while copies.count > Self.maxTraces,
                let other = copies.keys.first(where: { $0 != path })
            {
                for copy in copies.removeValue(forKey: other) ?? [] { Self.remove(copy) }
            }
            return copy.path
        } catch {
            throw Failure(error)
        }
    }

    private func say(_ share: Double, of path: String) {
        let calls = waiting.withLock { $0.calls.values.filter { $0.path == path } }
        for call in calls { call.progress(share, "replacing secrets in a copy of the trace") }
    }

    /// Removes all copies.
    func removeAll() {
        isOver.set()
        copies.withLock { copies in
            for copy in copies.values.joined() { Self.remove(copy) }
            copies = [:]
        }
    }

    private static func remove(_ copy: Copy) {
        TraceFiles.remove(copy.path)
        TraceFiles.removeFolder(copy.folder)
    }
}
