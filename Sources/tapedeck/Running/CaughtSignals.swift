import Dispatch
import Platform

/// Signals that the program catches instead of what they would do to it, for as long as this lives.
final class CaughtSignals {
    private let sources: [any DispatchSourceSignal]

    /// Catches `numbers` and blocks until it does: one that comes before ends the program, as ever.
    ///
    /// - Parameters:
    ///   - numbers: The signals.
    ///   - came: Called with each that comes, one after another, on a thread of its own.
    init(_ numbers: [Int32], came: @escaping @Sendable (Int32) -> Void) {
        let isCaught = DispatchSemaphore(value: 0)
        let queue = BlockingWork.queue("signals")
        sources = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { came(number) }
            source.setRegistrationHandler { isCaught.signal() }
            source.resume()
            return source
        }
        for _ in sources { isCaught.wait() }
    }

    deinit { for source in sources { source.cancel() } }
}
