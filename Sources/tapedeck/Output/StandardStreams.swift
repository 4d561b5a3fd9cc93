import Foundation
import Notation
import Platform
import Synchronization

/// Lines on standard output, whole and in order from any thread.
enum StandardOutput {
    private static let lock = Mutex(())
    private static let queue = Mutex<OutputQueue?>(nil)

    private static let isOthers = Mutex(false)

    /// From now on printing never waits for the reader, and a closed output ends nothing: `work`
    /// goes on.
    ///
    /// - Parameters:
    ///   - work: What goes on.
    ///   - isOthers: Whether it belongs to another program: what is printed goes to standard error.
    static func detach(_ work: String, isOthers: Bool = false) {
        signal(SIGPIPE, SIG_IGN)
        StandardError.detach()
        self.isOthers.withLock { $0 = isOthers }
        let made = OutputQueue(
            skipped: {
                "tapedeck: \(Summary.count(Int64($0), "line")) skipped, not read in time\n"
            },
            failed: {
                StandardError.write(
                    "tapedeck: standard output cannot be written (\(String(cString: strerror($0)))); nothing more is printed, \(work) goes on\n"
                )
            },
            write: { FileDescriptor.write($0, to: 1) })
        queue.withLock { $0 = made }
    }

    /// Waits until the printed lines are read, as long as the reader makes progress.
    static func finish() {
        if let queue = queue.withLock({ $0 }) {
            let unwritten = queue.drain(patience: StandardError.patience)
            if unwritten.failure == nil, unwritten.lines > 0 {
                StandardError.write(
                    "tapedeck: standard output is not read: \(Summary.count(Int64(unwritten.lines), "line")) not printed\n"
                )
            }
        }
        Pager.finish()
        StandardError.finish()
    }

    /// Writes `text` as it is; what cannot be written (a closed pipe) ends the program quietly, as
    /// it does for `cat`, unless it is detached.
    static func write(_ text: String) { write(bytes: text.utf8) }

    /// Writes `bytes` as they are.
    static func write(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        if isOthers.withLock({ $0 }) {
            return StandardError.write(String(decoding: bytes, as: UTF8.self))
        }
        if let queue = queue.withLock({ $0 }) { return queue.put(bytes) }
        lock.withLock { _ in
            guard FileDescriptor.write(bytes, to: 1) == nil else {
                Pager.finish()
                exit(0)
            }
        }
    }

    private static let keepsTerminal = Mutex(false)

    /// What is written goes to a terminal, though through a pipe from now on.
    static func keepTerminal() { keepsTerminal.withLock { $0 = true } }

    /// Whether it is a terminal.
    static var isTerminal: Bool { isatty(1) == 1 || keepsTerminal.withLock { $0 } }

    /// Whether colours are wanted: on a terminal that has them, and not with `NO_COLOR`.
    static var hasColour: Bool {
        Terminal.hasColour(isTerminal: isTerminal, ProcessInfo.processInfo.environment)
    }
}

/// Messages for the user.
enum StandardError {
    private static let lock = Mutex(())
    private static let queue = Mutex<OutputQueue?>(nil)

    /// Milliseconds that a reader may take for the next piece when the program ends.
    static let patience = 3000

    /// From now on writing never waits for the reader.
    static func detach() {
        let made = OutputQueue(
            skipped: {
                "tapedeck: \(Summary.count(Int64($0), "line")) skipped, not read in time\n"
            },
            failed: { _ in }, write: { FileDescriptor.write($0, to: 2) })
        queue.withLock { $0 = made }
    }

    /// Waits until the printed lines are read, as long as the reader makes progress.
    static func finish() { _ = queue.withLock { $0 }?.drain(patience: patience) }

    /// Writes a text, without what a terminal would act on but line ends and tabs: it may quote a peer.
    ///
    /// A carriage return at its start or end goes back to the start of a line of progress.
    static func write(_ text: String) {
        let ends = text.hasSuffix("\r") && text.count > 1 ? "\r" : ""
        let start = text.hasPrefix("\r") ? "\r" : ""
        let middle = text.unicodeScalars.dropFirst(start.count).dropLast(ends.count)
        let shown = TerminalText.clean(String(middle), keeping: ["\n", "\t"])
        let bytes = Array((start + shown + ends).utf8)
        if let queue = queue.withLock({ $0 }) { return queue.put(bytes) }
        lock.withLock { _ in _ = FileDescriptor.write(bytes, to: 2) }
    }

    /// Whether it is a terminal.
    static var isTerminal: Bool { isatty(2) == 1 }
}

/// Bytes written to a file descriptor, whole.
enum FileDescriptor {
    /// Writes all of `bytes`, however long it takes.
    ///
    /// - Returns: The system's error number if that failed.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Platform.write(descriptor, base, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                    continue
                }
                let failure = errno
                switch failure {
                case EINTR: continue
                case EAGAIN:
                    // Another process that shares the pipe made it non-blocking.
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&waiting, 1, -1)
                default: return failure
                }
            }
            return nil
        }
    }
}
