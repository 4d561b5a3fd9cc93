import Dispatch
import Foundation
import Synchronization

/// Text for a file descriptor that may not be read: the caller never blocks.
///
/// A separate thread writes. Lines are skipped while more than the bound waits, until all that
/// waited is written; then the number of skipped lines is written in their
/// place.
final class OutputQueue: Sendable {
    private struct State {
        var waiting: [[UInt8]] = []
        /// Index in `waiting` of the first that is not taken.
        var first = 0
        var bytes = 0
        var isWriting = false
        var isDraining = false
        var skippedLines = 0
        var isSkipping = false
        var failure: Int32?
    }

    /// The lines that were not written.
    struct Unwritten: Hashable {
        /// Lines that were skipped or still wait.
        var lines: Int
        /// The system's error number, where writing failed.
        var failure: Int32?
    }

    /// Bytes that are written at once, at most.
    private static let pieceSize = 16 << 10

    private let state = Mutex(State())
    private let bound: Int
    private let write: @Sendable ([UInt8]) -> Int32?
    private let skipped: @Sendable (Int) -> String
    private let failed: @Sendable (Int32) -> Void
    private let isFilled = DispatchSemaphore(value: 0)
    private let isWritten = DispatchSemaphore(value: 0)

    /// A queue with its thread.
    ///
    /// - Parameters:
    ///   - bound: Bytes that may wait; 1 MiB is about 10,000 lines.
    ///   - skipped: The text for a number of skipped lines.
    ///   - failed: Called once, on the queue's thread, with the error number when writing fails;
    ///     nothing more is written.
    ///   - write: Writes all bytes, however long it takes, or gives the error number.
    init(
        bound: Int = 1 << 20, skipped: @escaping @Sendable (Int) -> String,
        failed: @escaping @Sendable (Int32) -> Void,
        write: @escaping @Sendable ([UInt8]) -> Int32?
    ) {
        self.bound = bound
        self.skipped = skipped
        self.failed = failed
        self.write = write
        let thread = Thread { [self] in
            while true {
                isFilled.wait()
                writeWaiting()
            }
        }
        thread.name = "output"
        thread.start()
    }

    /// Takes bytes to be written; never blocks.
    func put(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let isTaken = state.withLock { state in
            guard state.failure == nil else { return false }
            let isFull = state.bytes > 0 && state.bytes + bytes.count > bound
            if state.isSkipping || isFull {
                state.isSkipping = true
                state.skippedLines += Self.lines(bytes)
                return false
            }
            // In pieces, so that a slow reader of much is seen to read.
            for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
                state.waiting.append(Array(bytes[start...].prefix(Self.pieceSize)))
            }
            state.bytes += bytes.count
            return true
        }
        if isTaken { isFilled.signal() }
    }

    /// Waits until all is written, as long as something is written within each of `patience`
    /// milliseconds.
    ///
    /// - Returns: The lines that were not written.
    func drain(patience: Int) -> Unwritten {
        while true {
            let isDone = state.withLock { state in
                state.isDraining = true
                return state.failure != nil
                    || state.bytes == 0 && !state.isWriting && !state.isSkipping
            }
            if isDone || isWritten.wait(timeout: .now() + .milliseconds(patience)) == .timedOut {
                break
            }
        }
        return state.withLock { state in
            Unwritten(
                lines: state.skippedLines
                    + state.waiting[state.first...].reduce(0) { $0 + Self.lines($1) },
                failure: state.failure)
        }
    }

    /// Writes what waits.
    private func writeWaiting() {
        while let piece = next() {
            let failure = write(piece)
            let isDraining = state.withLock { state in
                state.isWriting = false
                state.bytes -= piece.count
                if let failure {
                    state.failure = failure
                    (state.waiting, state.first, state.bytes) = ([], 0, 0)
                }
                return state.isDraining
            }
            if let failure { failed(failure) }
            if isDraining { isWritten.signal() }
        }
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            guard state.failure == nil else { return nil }
            var piece: [UInt8] = []
            if state.first < state.waiting.count {
                repeat {
                    piece += state.waiting[state.first]
                    state.first += 1
                } while state.first < state.waiting.count
                    && piece.count + state.waiting[state.first].count <= Self.pieceSize
                if state.first == state.waiting.count { (state.waiting, state.first) = ([], 0) }
            } else if state.isSkipping {
                piece = Array(skipped(state.skippedLines).utf8)
                state.isSkipping = false
                state.skippedLines = 0
                state.bytes += piece.count
            } else {
                return nil
            }
            state.isWriting = true
            return piece
        }
    }

    private static func lines(_ bytes: [UInt8]) -> Int {
        max(1, bytes.count { $0 == UInt8(ascii: "\n") })
    }
}
