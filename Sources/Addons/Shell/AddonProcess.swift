import Foundation
import Platform
import Synchronization
import Wire

/// An add-on that is a program: its process, its pipes, and one thread that serves both.
///
/// All decisions are those of ``AddonConversation``. Asking never blocks; replies come on the
/// thread of the add-on.
public final class AddonProcess: Sendable {
    private struct Question {
        let event: AddonEvent
        let interest: AddonInterest
        let reply: @Sendable (AddonReply) -> Void
    }

    private struct Inbox {
        var questions: [Question] = []
        var isFinishing = false
        var isAborted = false
        var hello: AddonHello?
        var hasRoom = true
        var counts = AddonCounts()
        var isOver = false
    }

    private let command: String
    private let environment: [String: String]
    private let limits: AddonLimits
    private let report: AddonReport
    private let inbox = Mutex(Inbox())
    private let changed = AddonSignal()
    private let woken: (read: Int32, write: Int32)

    /// An add-on that is not started.
    ///
    /// - Parameters:
    ///   - command: As a shell takes it.
    ///   - environment: The whole environment of the program.
    ///   - limits: How much is waited for, read and kept.
    ///   - report: Receives what it says besides its verdicts.
    public init(
        _ command: String, environment: [String: String], limits: AddonLimits = AddonLimits(),
        report: AddonReport
    ) {
        self.command = command
        self.environment = environment
        self.limits = limits
        self.report = report
        var pair: [Int32] = [-1, -1]
        if pipe(&pair) == 0 {
            for end in pair {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        woken = (pair[0], pair[1])
    }

    deinit {
        for end in [woken.read, woken.write] where end >= 0 { _ = close(end) }
    }

    /// What it asks for; nil while it is not running.
    public var hello: AddonHello? { inbox.withLock { $0.hello } }

    /// What was counted.
    public var counts: AddonCounts { inbox.withLock { $0.counts } }

    /// Starts it, and waits until it has said what it wants, or failed to.
    ///
    /// - Returns: Whether it runs.
    public func start() -> Bool {
        let thread = Thread { [self] in
            var loop = AddonLoop(self)
            loop.run()
        }
        thread.name = "add-on"
        thread.start()
        changed.wait { [self] in
            inbox.withLock { $0.hello != nil || $0.isOver || $0.counts.failures > 0 }
        }
        return hello != nil
    }

    /// Asks about an event; the reply comes once with a verdict, and before that as often as there
    /// is something beside it.
    ///
    /// An event that it does not want passes at once.
    public func ask(_ event: AddonEvent, reply: @escaping @Sendable (AddonReply) -> Void) {
        guard let hello, let interest = AddonInterest(event, in: hello) else {
            return reply(.verdict(.pass))
        }
        ask(event, interest, reply: reply)
    }

    /// Asks about an event in which its subscriptions have this interest.
    public func ask(
        _ event: AddonEvent, _ interest: AddonInterest,
        reply: @escaping @Sendable (AddonReply) -> Void
    ) {
        let isFirst = inbox.withLock { inbox -> Bool? in
            guard !inbox.isOver, !inbox.isFinishing else { return nil }
            inbox.questions.append(Question(event: event, interest: interest, reply: reply))
            return inbox.questions.count == 1
        }
        guard let isFirst else { return reply(.verdict(.pass)) }
        if isFirst { wake() }
    }

    /// Waits until events can be sent at once, so that a reader of a trace is no faster than the
    /// program.
    public func waitForRoom() {
        changed.wait { [self] in
            inbox.withLock { $0.isOver || $0.hasRoom && $0.questions.count < 64 }
        }
    }

    /// Lets it end, and waits until it has.
    ///
    /// - Parameter isAborted: Whether it is killed at once.
    public func finish(isAborted: Bool) {
        inbox.withLock {
            $0.isFinishing = true
            $0.isAborted = isAborted
        }
        wake()
        changed.wait { [self] in inbox.withLock { $0.isOver } }
    }

    private func wake() {
        var byte: UInt8 = 0
        _ = write(woken.write, &byte, 1)
    }

    // MARK: The thread

    /// What the thread has of the add-on.
    private struct AddonLoop {
        let addon: AddonProcess
        var conversation: AddonConversation
        var pipes: AddonPipes?
        var child: ChildProcess?
        var output = AddonOutput()
        var closesInput = false
        var texts = AddonTextLines()
        var replies: [Int64: @Sendable (AddonReply) -> Void] = [:]
        var lastTicket: Int64 = 0
        var wakeAt: Instant?
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isFinishing = false

        init(_ addon: AddonProcess) {
            self.addon = addon
            conversation = AddonConversation(limits: addon.limits)
        }

        mutating func run() {
            perform { $0.begin(at: $1, into: &$2) }
            while !conversation.isOver || pipes != nil {
                waitForSomething()
                takeInbox()
                if let wakeAt, wakeAt <= addon.report.now() {
                    self.wakeAt = nil
                    perform { $0.wake(at: $1, into: &$2) }
                }
                serve()
                publish()
            }
            publish()
            let left = addon.inbox.withLock { inbox -> [Question] in
                inbox.isOver = true
                defer { inbox.questions = [] }
                return inbox.questions
            }
            for question in left { question.reply(.verdict(.pass)) }
            for reply in replies.values { reply(.verdict(.pass)) }
            addon.changed.signal()
        }

        /// Waits for the pipes, the inbox or the time.
        private func waitForSomething() {
            var polled = [pollfd(fd: addon.woken.read, events: Int16(POLLIN), revents: 0)]
            if let pipes {
                polled.append(pollfd(fd: pipes.output, events: Int16(POLLIN), revents: 0))
                polled.append(pollfd(fd: pipes.error, events: Int16(POLLIN), revents: 0))
                if !output.isEmpty {
                    polled.append(pollfd(fd: pipes.input, events: Int16(POLLOUT), revents: 0))
                }
            }
            var timeout: Int32 = -1
            if let wakeAt {
                let left = wakeAt.nanoseconds - addon.report.now().nanoseconds
                timeout = Int32(clamping: max(0, left / 1_000_000 + 1))
            }
            _ = poll(&polled, nfds_t(polled.count), timeout)
        }

        private mutating func takeInbox() {
            _ = AddonPipes.read(addon.woken.read, &buffer)
            let (questions, finishes, aborts) = addon.inbox.withLock { inbox in
                defer { inbox.questions = [] }
                return (inbox.questions, inbox.isFinishing, inbox.isAborted)
            }
            for question in questions {
                lastTicket += 1
                let ticket = lastTicket
                replies[ticket] = question.reply
                perform {
                    $0.ask(question.event, question.interest, ticket: ticket, at: $1, into: &$2)
                }
            }
            if finishes, !isFinishing {
                isFinishing = true
                perform { $0.finish(at: $1, into: &$2) }
            }
            if aborts { child?.send(SIGKILL) }
        }

        /// Moves bytes between the pipes and the conversation.
        private mutating func serve() {
            guard pipes != nil else { return }
            writeWaiting()
            // One read a turn, so that a flood leaves time for everything else.
            if let pipes, pipes.error >= 0, let bytes = AddonPipes.read(pipes.error, &buffer) {
                let second = addon.report.now().nanoseconds / 1_000_000_000
                if bytes.isEmpty {
                    self.pipes?.closeError()
                } else {
                    texts.feed(bytes, second: second, addon.report.line)
                }
            }
            if let pipes, pipes.output >= 0, let bytes = AddonPipes.read(pipes.output, &buffer) {
                if bytes.isEmpty {
                    reap()
                } else {
                    perform { $0.received(bytes, at: $1, into: &$2) }
                }
            }
        }

        private mutating func writeWaiting() {
            guard let input = pipes?.input, input >= 0 else { return output.removeAll() }
            let (count, isBroken) = output.write(to: input)
            if count > 0 { perform { $0.wrote(count, at: $1, into: &$2) } }
            if isBroken { pipes?.closeInput() }
            if output.isEmpty, closesInput { pipes?.closeInput() }
        }

        /// The program has closed its output: it is ended if it does not end.
        private mutating func reap() {
            guard let child else { return }
            self.child = nil
            pipes?.closeInput()
            pipes?.closeOutput()
            // What has closed its output has a moment to exit with its own status.
            if !child.hasEnded(withinMilliseconds: 500) { child.send(SIGKILL) }
            let ending = child.wait()
            drainError()
            let detail =
                switch ending {
                case .exited(let status): "exited with status \(status)"
                case .signalled(let number): "was ended by signal \(number)"
                }
            perform { $0.ended(detail, isSuccess: ending == .exited(0), at: $1, into: &$2) }
        }

        private mutating func drainError() {
            while let pipes, pipes.error >= 0, let bytes = AddonPipes.read(pipes.error, &buffer),
                !bytes.isEmpty
            {
                let second = addon.report.now().nanoseconds / 1_000_000_000
                texts.feed(bytes, second: second, addon.report.line)
            }
            texts.finish(addon.report.line)
            pipes?.close()
            pipes = nil
        }

        // MARK: Commands

        private mutating func perform(
            _ body: (inout AddonConversation, Instant, inout [AddonConversation.Command]) -> Void
        ) {
            var commands: [AddonConversation.Command] = []
            body(&conversation, addon.report.now(), &commands)
            for command in commands { perform(command) }
        }

        private mutating func perform(_ command: AddonConversation.Command) {
            switch command {
            case .start: startProgram()
            case .write(let bytes): output.append(bytes)
            case .kill:
                guard let child else { return }
                self.child = nil
                child.send(SIGKILL)
                _ = child.wait()
                drainError()
            case .closeInput: closesInput = true
            case .listens(let hello):
                addon.report.listens(hello)
                addon.inbox.withLock { $0.hello = hello }
                addon.changed.signal()
            case .decide(let ticket, let verdict):
                replies.removeValue(forKey: ticket)?(.verdict(verdict))
            case .aside(let ticket?, let aside): replies[ticket]?(.aside(aside))
            case .aside(nil, let aside): addon.report.aside(aside)
            case .warn(let text): addon.report.warning(text)
            case .wake(let at): wakeAt = min(wakeAt ?? at, at)
            }
        }

        private mutating func startProgram() {
            output.removeAll()
            closesInput = false
            guard var pipes = AddonPipes() else {
                return perform {
                    $0.ended("cannot be started: no file descriptors", at: $1, into: &$2)
                }
            }
            do throws(ChildProcess.NotStarted) {
                child = try ChildProcess(
                    "/bin/sh", arguments: ["sh", "-c", Self.replacingShell(addon.command)],
                    environment: addon.environment, streams: pipes.streams)
            } catch {
                pipes.close()
                let reason = String(cString: strerror(error.code))
                return perform { $0.ended("cannot be started: \(reason)", at: $1, into: &$2) }
            }
            pipes.closeOthers()
            self.pipes = pipes
        }

        /// The command so that the shell does not stay between, where it is nothing but words.
        private static func replacingShell(_ command: String) -> String {
            let plain = "/._-'\" :,@%+~".utf8
            let isPlain = command.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: plain.contains(byte)
                }
            }
            let isBuiltIn = ["exit", "cd", "read", "."].contains {
                command == $0 || command.hasPrefix($0 + " ")
            }
            return isPlain && !isBuiltIn ? "exec \(command)" : command
        }

        private func publish() {
            let (room, counts) = (conversation.hasRoom, conversation.counts)
            addon.inbox.withLock {
                $0.hasRoom = room
                $0.counts = counts
            }
            addon.changed.signal()
        }
    }
}
