import Dispatch
import Foundation
import Inspection
import Platform
import Synchronization

/// Runs this program with other arguments, and keeps what it writes.
enum ProgramRun {
    /// The most bytes of an output that are kept.
    private static let most = 256 << 20
    /// Programs at a time: each may read a whole trace.
    private static let places = DispatchSemaphore(value: 3)
    private static let queue = DispatchQueue(label: "runs", attributes: .concurrent)

    /// Runs it to its end.
    ///
    /// - Parameter arguments: Those after the program's name.
    /// - Returns: What it wrote, and its exit status.
    static func outcome(_ arguments: [String]) async -> ToolOutcome {
        await withCheckedContinuation { continuation in
            queue.async {
                places.wait()
                defer { places.signal() }
                continuation.resume(returning: run(arguments))
            }
        }
    }

    private static func run(_ arguments: [String]) -> ToolOutcome {
        guard let started = RunningProgram(arguments) else {
            return ToolOutcome(status: 70, output: [], errors: "tapedeck cannot be started")
        }
        let errors = Mutex<[UInt8]>([])
        let group = DispatchGroup()
        queue.async(group: group) {
            let bytes = started.errors.readAll(atMost: 1 << 20)
            errors.withLock { $0 = bytes }
        }
        let output = started.output.readAll(atMost: most)
        group.wait()
        let status = started.process.wait().status
        return ToolOutcome(
            status: Int(status), output: output,
            errors: String(decoding: errors.withLock { $0 }, as: UTF8.self))
    }
}

/// This program, started with other arguments and pipes for what it writes.
final class RunningProgram: Sendable {
    /// The end of a pipe that is read.
    final class Reading: Sendable {
        private let descriptor: Int32

        fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// Reads to the end; blocks.
        ///
        /// What is beyond `most` bytes is read and dropped.
        func readAll(atMost most: Int) -> [UInt8] {
            var all: [UInt8] = []
            while let piece = next() {
                if all.count < most { all += piece.prefix(most - all.count) }
            }
            return all
        }

        /// Reads what there is, or waits for it; nil at the end.
        func next() -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 { return Array(buffer.prefix(count)) }
                guard count < 0, errno == EINTR else { return nil }
            }
        }
    }

    let process: ChildProcess
    let output: Reading
    let errors: Reading

    /// Starts it; nil where it cannot be started.
    init?(_ arguments: [String]) {
        let path = Processes.ownPath ?? CommandLine.arguments[0]
        var (out, err): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&out) == 0 else { return nil }
        guard pipe(&err) == 0 else {
            for end in out { close(end) }
            return nil
        }
        for end in [out[0], err[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for end in [out[1], err[1], nothing] where end >= 0 { close(end) } }
        var environment = ProcessInfo.processInfo.environment
        environment["NO_COLOR"] = "1"
        do {
            process = try ChildProcess(
                path, arguments: ["tapedeck"] + arguments, environment: environment,
                streams: .init(input: nothing, output: out[1], error: err[1]))
        } catch {
            close(out[0])
            close(err[0])
            return nil
        }
        output = Reading(out[0])
        errors = Reading(err[0])
    }
}
