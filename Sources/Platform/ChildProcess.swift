internal import Synchronization

/// A program that was started: in the foreground of this one, with its standard input and outputs,
/// its terminal and its process group, or connected by pipes in a group of its own.
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

    /// The descriptors that a program gets as its standard input and outputs.
    package struct Streams: Sendable {
        /// What it reads.
        package let input: Int32
        /// What it writes.
        package let output: Int32
        /// What it writes for people.
        package let error: Int32

        /// These descriptors, which stay open here.
        package init(input: Int32, output: Int32, error: Int32) {
            self.input = input
            self.output = output
            self.error = error
        }
    }

    /// Why a program cannot be started.
    package struct NotStarted: Error {
        /// The system's error number.
        package let code: Int32
    }

    private let process: pid_t
    /// Whether it leads a process group, which gets its signals.
    private let leadsGroup: Bool
    private let ending = Mutex<Ending?>(nil)

    /// Starts a program, which gets no signal handling of this process.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - arguments: Its arguments, beginning with its name.
    ///   - environment: Its whole environment.
    ///   - streams: Its standard input and outputs, where it has those of its own: it then leads a
    ///     process group and inherits no other descriptor. Nil for those of this process.
    /// - Throws: ``NotStarted``.
    package init(
        _ path: String, arguments: [String], environment: [String: String],
        streams: Streams? = nil
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
        var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let streams {
            flags |= Int16(POSIX_SPAWN_SETPGROUP)
            posix_spawn_file_actions_adddup2(&actions, streams.input, 0)
            posix_spawn_file_actions_adddup2(&actions, streams.output, 1)
            posix_spawn_file_actions_adddup2(&actions, streams.error, 2)
            // Libraries leave sockets open; a program that outlives them would keep them open.
            for descriptor in OpenFiles.descriptors() where descriptor > 2 {
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        }
        posix_spawnattr_setflags(&attributes, flags)
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] =
            environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + settings { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw NotStarted(code: code) }
        leadsGroup = streams != nil
        self.process = process
    }

    /// Sends a signal unless it has ended; to all of its group where it leads one.
    package func send(_ number: Int32) {
        ending.withLock { if $0 == nil { kill(leadsGroup ? -process : process, number) } }
    }

    /// Blocks until it has ended, for so long at most.
    ///
    /// - Returns: Whether it has; ``wait()`` has to be called nevertheless.
    package func hasEnded(withinMilliseconds patience: Int) -> Bool {
        for turn in 0... {
            var information = siginfo_t()
            if waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) != 0
                || information.si_signo == SIGCHLD
            {
                return true
            }
            guard turn * 5 < patience else { break }
            poll(nil, 0, 5)
        }
        return false
    }

    /// Blocks until it has ended; what is left of a process group that it led is killed.
    package func wait() -> Ending {
        // Its number is free for another process once it is waited for, so that this is done with
        // the lock, and what takes time before.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        return ending.withLock { ending in
            if let ending { return ending }
            if leadsGroup { kill(-process, SIGKILL) }
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
