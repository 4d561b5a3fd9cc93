import Foundation
import Platform
import Synchronization

/// The recordings that an assistant has started: processes of this program.
final class AssistantRecordings: Sendable {
    private struct Recording {
        let handle: String
        let trace: String
        let address: String
        let child: ChildProcess
    }

    private struct State {
        var recordings: [Recording] = []
        var count = 0
        var isOver = false
    }

    /// Recordings at once.
    private static let most = 8
    /// Milliseconds until a recording listens, or has ended.
    private static let patience = 20_000

    private let state = Mutex(State())

    /// Starts a recording to `trace`, and waits until it listens.
    ///
    /// - Parameters:
    ///   - trace: The path.
    ///   - arguments: Options of `record`.
    /// - Returns: Its handle and address, in words.
    /// - Throws: ``Failure`` where it does not start.
    func start(_ trace: String, _ arguments: [String]) throws(Failure) -> String {
        guard state.withLock({ $0.recordings.count < Self.most }) else {
            throw Failure(.failed, "\(Self.most) recordings are running; stop one first")
        }
        // What follows -- is a command for `record`; the path is none of an option.
        let (child, pipes) = try OwnCommand.start(["record", "--quiet", trace] + arguments)
        var said: [UInt8] = []
        var errors: [UInt8] = []
        let deadline = Date(timeIntervalSinceNow: Double(Self.patience) / 1_000)
        while let (isOutput, bytes) = pipes.read(withinMilliseconds: 100) {
            if isOutput { said += bytes } else { errors += bytes.prefix(4_000) }
            let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
            if said.last == 0x0A, let line = lines.first(where: { $0.hasPrefix("listening on ") }) {
                return try keep(child, pipes, trace, address: String(line.dropFirst(13)))
            }
            guard deadline.timeIntervalSinceNow > 0 else { break }
        }
        child.send(SIGKILL)
        _ = child.wait()
        let reason = OwnCommand.words(errors)
        throw Failure(.failed, reason.isEmpty ? "the recording does not start" : reason)
    }

    private func keep(
        _ child: ChildProcess, _ pipes: OwnPipes, _ trace: String, address: String
    ) throws(Failure) -> String {
        let handle: String? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.count += 1
            let handle = "recording-\(state.count)"
            state.recordings.append(
                Recording(handle: handle, trace: trace, address: address, child: child))
            return handle
        }
        guard let handle else {
            child.send(SIGKILL)
            _ = child.wait()
            throw Failure(.failed, "the server ends")
        }
        // What it prints is read until it ends, so that it never waits for that.
        // Safety: from here on, nothing but the thread has the pipes.
        nonisolated(unsafe) let reading = pipes
        Thread.detachNewThread {
            while reading.read(withinMilliseconds: 1_000) != nil {}
        }
        return "\(handle) records to \(trace), listening on \(address)\n"
    }

    /// Ends a recording.
    ///
    /// - Parameter handle: Its handle.
    /// - Returns: What was done, in words.
    /// - Throws: ``Failure`` where there is none of that handle.
    func stop(_ handle: String) throws(Failure) -> String {
        let found: Recording? = state.withLock { state in
            guard let place = state.recordings.firstIndex(where: { $0.handle == handle }) else {
                return nil
            }
            return state.recordings.remove(at: place)
        }
        guard let found else {
            throw Failure(.data, "there is no recording \(handle); recordings lists what is")
        }
        Self.end([found])
        return "\(handle) has ended; the trace is \(found.trace)\n"
    }

    /// Those that run, a line each.
    var list: String {
        let lines = state.withLock { state in
            state.recordings.map { "\($0.handle)  \($0.trace)  listening on \($0.address)\n" }
        }
        return lines.isEmpty ? "no recording was started here\n" : lines.joined()
    }

    /// Ends all, and starts no more.
    func stopAll() {
        let all = state.withLock { state in
            state.isOver = true
            defer { state.recordings = [] }
            return state.recordings
        }
        Self.end(all)
    }

    private static func end(_ recordings: [Recording]) {
        for recording in recordings { recording.child.send(SIGTERM) }
        for recording in recordings {
            if !recording.child.hasEnded(withinMilliseconds: patience) {
                recording.child.send(SIGKILL)
            }
            _ = recording.child.wait()
        }
    }
}
