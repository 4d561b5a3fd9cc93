import Dispatch
import Platform
import Synchronization

/// Waits for the user to end the program: SIGINT or SIGTERM once ends it cleanly, twice at once.
final class StopSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let count = Mutex(0)
    // Safety: written in the initialiser only; kept so that the sources live as long as this.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    init() {
        (stream, continuation) = AsyncStream<Void>.makeStream()
        signal(SIGPIPE, SIG_IGN)
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { continuation.yield() } else { _exit(130) }
            }
            source.resume()
            return source
        }
    }

    /// Ends the wait from inside the program.
    func stop() { continuation.yield() }

    /// Returns at the first signal.
    func wait() async {
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
    }
}
