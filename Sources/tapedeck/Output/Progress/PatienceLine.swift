import Foundation
import Synchronization

/// Says on a terminal that something is still going on whose end is not known.
enum PatienceLine {
    /// Runs `body`; from the second second on a line shows what is done and for how long already.
    static func during<Result, Problem: Error>(
        _ what: String, _ body: () throws(Problem) -> Result
    ) throws(Problem) -> Result {
        guard StandardError.isTerminal else { return try body() }
        let shown = Shown(what)
        let thread = Thread { shown.run() }
        thread.start()
        defer { shown.end() }
        return try body()
    }

    /// The line, shared with the thread that writes it.
    private final class Shown: Sendable {
        private let what: String
        private let state = Mutex<(isOver: Bool, length: Int)>((false, 0))
        private let over = DispatchSemaphore(value: 0)

        init(_ what: String) { self.what = what }

        func run() {
            var seconds = 0
            while over.wait(timeout: .now() + .seconds(1)) == .timedOut {
                seconds += 1
                state.withLock { state in
                    guard !state.isOver else { return }
                    let line = "\(what): \(seconds) s"
                    StandardError.write("\r\(line)")
                    state.length = line.count
                }
            }
        }

        func end() {
            state.withLock { state in
                state.isOver = true
                let blanks = String(repeating: " ", count: state.length)
                if state.length > 0 { StandardError.write("\r\(blanks)\r") }
            }
            over.signal()
        }
    }
}
