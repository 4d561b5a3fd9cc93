import NIOCore
import NIOPosix
import Synchronization
import Testing
import Wire

@testable import Proxying

@Suite struct WatchdogTests {
    @Test func `reports once that an answer is overdue, and once that it came`() {
        var health = LoopHealth(limit: 20)
        func look(_ now: Int64, _ hasAnswered: Bool) -> (Bool, LoopHealth.Change?) {
            let (asks, change) = health.look(at: now, hasAnswered: hasAnswered)
            return (asks, change)
        }
        #expect(look(0, false) == (true, nil))
        #expect(look(10, true) == (true, nil))
        #expect(look(20, false) == (false, nil))
        #expect(look(30, false) == (false, .stuck(20)))
        #expect(look(40, false) == (false, nil))
        #expect(look(50, true) == (true, .recovered(40)))
        #expect(look(60, true) == (true, nil))
    }

    @Test func `names the connection that keeps an event loop busy`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let activity = LoopActivity()
        let (reports, continuation) = AsyncStream<String>.makeStream()
        let isBusy = Mutex(true)
        let watchdog = Watchdog(
            [(group.next(), activity)], limit: .milliseconds(5), interval: .milliseconds(1)
        ) { detail, connection in
            continuation.yield("\(connection?.rawValue ?? 0): \(detail)")
        }
        group.next().execute {
            activity.enter(ConnectionID(17))
            while isBusy.withLock({ $0 }) {}
            activity.leave()
        }
        var iterator = reports.makeAsyncIterator()
        var found: [String] = []
        while let report = await iterator.next() {
            found.append(report)
            if report.hasPrefix("17: ") { isBusy.withLock { $0 = false } }
            if report.contains("answers again"), !isBusy.withLock({ $0 }) { break }
        }
        #expect(
            found.contains {
                $0.hasPrefix("17: event loop 1 of 1 has not answered for ")
                    && $0.hasSuffix("it is busy with connection 17")
            })
        #expect(!activity.isStuck)
        watchdog.stop()
        try await group.shutdownGracefully()
    }
}
