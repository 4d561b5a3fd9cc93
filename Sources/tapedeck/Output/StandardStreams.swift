import Foundation
import Synchronization

/// Lines on standard output, whole and in order from any thread.
enum StandardOutput {
    private static let lock = Mutex(())

    /// Writes `text` as it is; what can not be written (a closed pipe) ends the program quietly, as
    /// it does for `cat`.
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes `bytes` as they are.
    static func write(bytes: some Sequence<UInt8>) {
        Array(bytes).withUnsafeBytes { write($0) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) {
        lock.withLock { _ in
            var rest = bytes
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(1, base, rest.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { exit(0) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    /// Whether a person reads along.
    static var isTerminal: Bool { isatty(1) == 1 }

    /// Whether colours are wanted: on a terminal, and not with `NO_COLOR`.
    static var hasColour: Bool {
        isTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
    }
}

/// What is said to people.
enum StandardError {
    /// Writes `text` as it is.
    static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Whether a person reads along.
    static var isTerminal: Bool { isatty(2) == 1 }
}
