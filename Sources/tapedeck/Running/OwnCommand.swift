import Foundation
import Platform

/// A command of this program in a process of its own: what a hostile trace does to it is not done to the
/// caller, and it ends when enough was read.
struct OwnCommand {
    /// What a command wrote.
    struct Done {
        /// A part of its output from the offset on.
        var output: [UInt8] = []
        /// Whether it was ended since more would follow.
        var isCut = false
        /// What it wrote for people, without its name.
        var errors = ""
        /// Its exit status; 128 and the number of a signal that ended it.
        var status: Int32 = 0
    }

    /// Bytes of output that are kept: more than an answer takes.
    private static let maxOutput = 80_000
    /// Bytes for people that are kept.
    private static let maxErrors = 4_000
    /// Seconds that a command may take.
    private static let maxSeconds = 300.0

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - arguments: Without the name of the program.
    ///   - offset: Bytes of its output that are left out.
    ///   - flag: Set where it is not wanted any more.
    /// - Returns: What it wrote.
    /// - Throws: ``Failure`` where it cannot be started, takes too long or is not wanted any more.
    static func run(
        _ arguments: [String], offset: Int, until flag: CancelFlag
    ) throws(Failure) -> Done {
        let (child, pipes) = try start(arguments)
        defer { pipes.close() }
        var done = Done()
        var skipped = 0
        var errors: [UInt8] = []
        let deadline = Date(timeIntervalSinceNow: maxSeconds)
        while let (isOutput, bytes) = pipes.read(withinMilliseconds: 100) {
            guard !flag.isSet, deadline.timeIntervalSinceNow > 0 else {
                child.send(SIGKILL)
                _ = child.wait()
                throw Failure(.temporary, "it took more than \(Int(maxSeconds)) s; narrow it down")
            }
            guard isOutput else {
                errors += bytes.prefix(max(0, maxErrors - errors.count))
                continue
            }
            let rest = bytes.dropFirst(min(bytes.count, offset - skipped))
            skipped += bytes.count - rest.count
            done.output += rest
            guard done.output.count <= maxOutput else {
                done.isCut = true
                child.send(SIGKILL)
                break
            }
        }
        done.status = child.wait().status
        done.errors = words(errors)
        return done
    }

    /// What a command wrote for people, without its name.
    static func words(_ errors: [UInt8]) -> String {
        String(decoding: errors, as: UTF8.self)
            .split(separator: "\n").map { $0.hasPrefix("tapedeck: ") ? $0.dropFirst(10) : $0 }
            .joined(separator: "\n")
    }

    /// Starts a command with pipes in place of its outputs.
    static func start(_ arguments: [String]) throws(Failure) -> (ChildProcess, OwnPipes) {
        guard let program = Processes.ownPath, let pipes = OwnPipes() else {
            throw Failure(.software, "this program cannot be started again")
        }
        defer { pipes.closeOthers() }
        var environment = ProcessInfo.processInfo.environment
        environment["NO_COLOR"] = "1"
        do throws(ChildProcess.NotStarted) {
            return (
                try ChildProcess(
                    program, arguments: ["tapedeck"] + arguments, environment: environment,
                    streams: pipes.streams), pipes
            )
        } catch {
            pipes.close()
            throw Failure(
                .software,
                "this program cannot be started: \(String(cString: strerror(error.code)))"
            )
        }
    }
}

/// The pipes from a process that reads nothing.
final class OwnPipes {
    private var output: Int32
    private var errors: Int32
    private var others: [Int32]

    /// Two pipes; nil where the system has no more descriptors.
    init?() {
        var ends: [Int32] = [open("/dev/null", O_RDONLY | O_CLOEXEC)]
        for _ in 0..<2 {
            var pair: [Int32] = [-1, -1]
            guard pipe(&pair) == 0 else { break }
            ends += pair
        }
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard ends.count == 5, ends[0] >= 0 else {
            for end in ends where end >= 0 { _ = Platform.close(end) }
            return nil
        }
        (output, errors) = (ends[1], ends[3])
        others = [ends[0], ends[2], ends[4]]
    }

    deinit { close() }

    /// What the process gets.
    var streams: ChildProcess.Streams {
        ChildProcess.Streams(input: others[0], output: others[1], error: others[2])
    }

    /// Closes what only the process needs.
    func closeOthers() {
        for end in others { _ = Platform.close(end) }
        others = []
    }

    /// Closes everything.
    func close() {
        closeOthers()
        for end in [output, errors] where end >= 0 { _ = Platform.close(end) }
        (output, errors) = (-1, -1)
    }

    /// What the process wrote next.
    ///
    /// - Parameter patience: Milliseconds to wait.
    /// - Returns: Whether it is of its output and not for people, and the bytes, none where nothing came;
    ///   nil at the end of both.
    func read(withinMilliseconds patience: Int32) -> (isOutput: Bool, bytes: [UInt8])? {
        while true {
            var waiting = [output, errors].filter { $0 >= 0 }.map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard !waiting.isEmpty else { return nil }
            let ready = poll(&waiting, nfds_t(waiting.count), patience)
            guard ready > 0, let descriptor = waiting.first(where: { $0.revents != 0 })?.fd else {
                return (true, [])
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = Platform.read(descriptor, &buffer, buffer.count)
            if count > 0 { return (descriptor == output, Array(buffer[..<count])) }
            if count < 0, errno == EINTR { continue }
            _ = Platform.close(descriptor)
            if descriptor == output { output = -1 } else { errors = -1 }
        }
    }
}
