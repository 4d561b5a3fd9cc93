import Assistants
import Dispatch
import Foundation
import Platform
import Synchronization

/// Passes lines between standard input and output and the server, and has its work done.
final class AssistantShell: Sendable {
    private let server: Mutex<AssistantServer>
    private let worker: AssistantWorker
    /// Work in progress, by number.
    private let tasks = Mutex<[Int: CancelFlag]>([:])
    private let group = DispatchGroup()

    init(_ server: AssistantServer, _ worker: AssistantWorker) {
        self.server = Mutex(server)
        self.worker = worker
    }

    /// Runs until the input ends, or a signal comes.
    func run() {
        signal(SIGPIPE, SIG_IGN)
        let signals = CaughtSignals([SIGINT, SIGTERM]) { [self] _ in end(status: 0) }
        var lines = AssistantLines()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(0, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for line in lines.consume(buffer[..<count]) { take(line) }
        }
        if let line = lines.finish() { take(line) }
        group.wait()
        worker.end()
        withExtendedLifetime(signals) {}
    }

    private func end(status: Int32) {
        worker.end()
        _exit(status)
    }

    private func take(_ line: AssistantLines.Line) {
        perform(server.withLock { $0.receive(line) })
    }

    private func perform(_ commands: [AssistantServer.Command]) {
        for command in commands {
            switch command {
            case .send(let message): write(message + [0x0A])
            case .cancel(let number): tasks.withLock { $0[number] }?.set()
            case .run(let number, let work):
                let flag = CancelFlag()
                tasks.withLock { $0[number] = flag }
                BlockingWork.queue("assistant").async(group: group) { [self] in
                    let outcome = worker.do(work, until: flag) { [self] share, words in
                        perform(server.withLock { $0.progressed(number, share, words) })
                    }
                    tasks.withLock { $0[number] = nil }
                    perform(server.withLock { $0.finished(number, outcome) })
                }
            }
        }
    }

    private let output = Mutex(())

    private func write(_ bytes: [UInt8]) {
        let failure = output.withLock { _ in FileDescriptor.write(bytes, to: 1) }
        // Nobody reads the answers.
        if failure != nil { end(status: 0) }
    }
}

/// Whether work is not wanted any more.
final class CancelFlag: Sendable {
    private let isCancelled = Atomic(false)

    var isSet: Bool { isCancelled.load(ordering: .relaxed) }

    func set() { isCancelled.store(true, ordering: .relaxed) }
}
