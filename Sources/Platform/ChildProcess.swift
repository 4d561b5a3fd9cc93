internal import Synchronization

/// A program that runs in the foreground of this one: with its standard input and outputs, its
/// terminal and its process group.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package enum Ending: Hashable, Sendable {
        /// It exited with this status.
        case exited(Int32)
        /// A signal ended it.
        case signalled(Int32)

        /// From what `waitpid` reports.
        init(waitStatus status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        }

        /// The status that a shell reports: that of the program, or 128 and the number of the signal.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let number): 128 + number
            }
        }
    }

    /// Why a program cannot be started.
    package struct NotStarted: Error {
        /// The system's error number.
        package let code: Int32
    }

    private let process: pid_t
    private let ending = Mutex<Ending?>(nil)

    /// Starts a program, which gets no signal handling of this process.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - arguments: Its arguments, beginning with its name.
    ///   - environment: Its whole environment.
    /// - Throws: ``NotStarted``.
    package init(
        _ path: String, arguments: [String], environment: [String: String]
    ) throws(NotStarted) {
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        #else
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // What this process ignores would be ignored by the program as well.
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] =
            environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + settings { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, nil, &attributes, &words, &settings)
        guard code == 0 else { throw NotStarted(code: code) }
        self.process = process
    }

    /// Sends a signal unless it has ended.
    package func send(_ number: Int32) {
        ending.withLock { if $0 == nil { kill(process, number) } }
    }

    /// Blocks until it has ended.
    package func wait() -> Ending {
        // Its number is free for another process once it is waited for, so that this is done with
        // the lock, and what takes time before.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        return ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            while waitpid(process, &status, 0) == -1, errno == EINTR {}
            let new = Ending(waitStatus: status)
            ending = new
            return new
        }
    }
}

extension Processes {
    /// Whether the terminal sends the signal of Ctrl-C to this process and those of its group.
    package static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }
}
