import Notation
import Testing
import Wire

@testable import HTTPLayer

/// A queue with what is expected of it, on a virtual clock in seconds.
private struct Playbook {
    var queue: RequestQueue
    var now = 0.0

    init(width: Int = 1, jitter: Double = 0) {
        queue = RequestQueue(width: width, backoff: Backoff(jitter: { jitter }))
    }

    mutating func on(
        _ event: QueueEvent, expect expected: QueueCommand...,
        at location: SourceLocation = #_sourceLocation
    ) {
        var commands: [QueueCommand] = []
        let instant = Instant(nanoseconds: Int64(now * 1e9))
        queue.handle(event, at: instant, into: &commands)
        #expect(commands == expected, "\(event)", sourceLocation: location)
    }
}

private func done(_ id: UInt64, attempts: Int = 1) -> QueueCommand {
    .complete(id, attempts: attempts, isCancelled: false)
}

private func cancelled(_ id: UInt64, attempts: Int) -> QueueCommand {
    .complete(id, attempts: attempts, isCancelled: true)
}

private let ok = AttemptResult.answered(status: 200)

struct RequestQueueTests {
    @Test func `immediate overtakes queued normal and keeps its own order`() {
        var play = Playbook()
        play.on(.added(1, .normal, retryCount: 0), expect: .start(1, attempt: 1))
        play.on(.added(2, .normal, retryCount: 0))
        play.on(.added(3, .normal, retryCount: 0))
        play.on(.added(4, .immediate, retryCount: 0))
        play.on(.added(5, .immediate, retryCount: 0))
        play.on(.finished(1, ok), expect: done(1), .start(4, attempt: 1))
        play.on(.finished(4, ok), expect: done(4), .start(5, attempt: 1))
        play.on(.finished(5, ok), expect: done(5), .start(2, attempt: 1))
        play.on(.finished(2, ok), expect: done(2), .start(3, attempt: 1))
        play.on(.finished(3, ok), expect: done(3))
    }

    @Test func `as many run as the width allows`() {
        var play = Playbook(width: 2)
        play.on(.added(1, .normal, retryCount: 0), expect: .start(1, attempt: 1))
        play.on(.added(2, .normal, retryCount: 0), expect: .start(2, attempt: 1))
        play.on(.added(3, .normal, retryCount: 0))
        play.on(.finished(2, ok), expect: done(2), .start(3, attempt: 1))
    }

    @Test func `in the background what runs finishes and what is queued waits`() {
        var play = Playbook()
        play.on(.added(1, .normal, retryCount: 0), expect: .start(1, attempt: 1))
        play.on(.added(2, .normal, retryCount: 0))
        play.on(.lifecycle(.background))
        play.on(.added(3, .immediate, retryCount: 0))
        play.on(.finished(1, ok), expect: done(1))
        play.on(.ticked)
        play.on(.lifecycle(.foreground), expect: .start(3, attempt: 1))
    }

    @Test func `background tasks process all in the background`() {
        var play = Playbook()
        play.on(.lifecycle(.background))
        play.on(.added(1, .normal, retryCount: 0))
        play.on(.backgroundTasks(enabled: true), expect: .start(1, attempt: 1))
        play.on(.added(2, .normal, retryCount: 0))
        play.on(.finished(1, ok), expect: done(1), .start(2, attempt: 1))
        play.on(.backgroundTasks(enabled: false))
        play.on(.added(3, .normal, retryCount: 0))
        play.on(.finished(2, ok), expect: done(2))
    }

    @Test(arguments: [0.0, 1.0])
    func `waits double from 1 to 30 seconds, and the jitter halves them at most`(jitter: Double) {
        var play = Playbook(jitter: jitter)
        play.on(.added(1, .normal, retryCount: 7), expect: .start(1, attempt: 1))
        var attempt = 1
        for wait in [1.0, 2, 4, 8, 16, 30, 30] {
            play.on(.finished(1, .failed(isTransient: true)))
            let due = play.now + wait * (1 - jitter / 2)
            play.now = due - 0.001
            play.on(.ticked)
            #expect(play.queue.nextDue == Instant(nanoseconds: Int64(due * 1e9)))
            play.now = due
            attempt += 1
            play.on(.ticked, expect: .start(1, attempt: attempt))
        }
        play.on(.finished(1, .failed(isTransient: true)), expect: done(1, attempts: 8))
        #expect(play.queue.count == 0)
    }

    @Test(
        arguments: [
            (.answered(status: 500), true), (.answered(status: 503), true),
            (.answered(status: 599), true), (.answered(status: 200), false),
            (.answered(status: 304), false), (.answered(status: 404), false),
            (.answered(status: 429), false), (.answered(status: 600), false),
            (.failed(isTransient: true), true), (.failed(isTransient: false), false),
        ] as [(AttemptResult, Bool)])
    func `repeats failures of connections and servers alone`(result: AttemptResult, again: Bool) {
        var play = Playbook()
        play.on(.added(1, .normal, retryCount: 1), expect: .start(1, attempt: 1))
        if again {
            play.on(.finished(1, result))
            play.now = 1
            play.on(.ticked, expect: .start(1, attempt: 2))
            play.on(.finished(1, result), expect: done(1, attempts: 2))
        } else {
            play.on(.finished(1, result), expect: done(1))
        }
    }

    @Test func `a waiting retry leaves its place, and comes back by its age`() {
        var play = Playbook()
        play.on(.added(1, .normal, retryCount: 1), expect: .start(1, attempt: 1))
        play.on(.added(2, .normal, retryCount: 0))
        play.on(.added(3, .normal, retryCount: 0))
        play.on(.finished(1, .failed(isTransient: true)), expect: .start(2, attempt: 1))
        play.now = 5
        play.on(.ticked)
        play.on(.finished(2, ok), expect: done(2), .start(1, attempt: 2))
        play.on(.finished(1, ok), expect: done(1, attempts: 2), .start(3, attempt: 1))
    }

    @Test func `a retry that comes due in the background waits`() {
        var play = Playbook()
        play.on(.added(1, .normal, retryCount: 1), expect: .start(1, attempt: 1))
        play.on(.lifecycle(.background))
        play.on(.finished(1, .failed(isTransient: true)))
        play.now = 60
        play.on(.ticked)
        play.on(.lifecycle(.foreground), expect: .start(1, attempt: 2))
    }

    @Test func `cancelling completes once, wherever the request is`() {
        var play = Playbook()
        play.on(.added(1, .normal, retryCount: 1), expect: .start(1, attempt: 1))
        play.on(.added(2, .normal, retryCount: 0))
        play.on(.added(3, .immediate, retryCount: 0))
        play.on(.cancelled(2), expect: cancelled(2, attempts: 0))
        play.on(.cancelled(3), expect: cancelled(3, attempts: 0))
        play.on(.cancelled(1), expect: .abort(1), cancelled(1, attempts: 1))
        play.on(.finished(1, ok))
        play.on(.cancelled(1))
        play.on(.added(4, .normal, retryCount: 1), expect: .start(4, attempt: 1))
        play.on(.finished(4, .failed(isTransient: true)))
        play.on(.cancelled(4), expect: cancelled(4, attempts: 1))
        #expect(play.queue.nextDue == nil)
        play.now = 60
        play.on(.ticked)
    }

    @Test func `stopping cancels all, and what comes later`() {
        var play = Playbook()
        play.on(.added(1, .normal, retryCount: 0), expect: .start(1, attempt: 1))
        play.on(.added(2, .normal, retryCount: 0))
        play.on(
            .stopped, expect: .abort(1), cancelled(1, attempts: 1), cancelled(2, attempts: 0))
        play.on(.added(3, .normal, retryCount: 0), expect: cancelled(3, attempts: 0))
    }

    @Test func `a refused request completes without an attempt`() {
        var play = Playbook()
        play.on(.lifecycle(.background))
        play.on(.refused(1), expect: done(1, attempts: 0))
    }

    /// Proves: H-16.
    @Test(arguments: 0..<50)
    func `every request completes once, whatever happens`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = RequestQueue(width: 3, backoff: Backoff(jitter: { 0.5 }))
        var running: Set<UInt64> = []
        var completed: [UInt64: Int] = [:]
        var now = 0.0
        func play(_ event: QueueEvent) {
            var commands: [QueueCommand] = []
            queue.handle(event, at: Instant(nanoseconds: Int64(now * 1e9)), into: &commands)
            for command in commands {
                switch command {
                case .start(let id, _): #expect(running.insert(id).inserted)
                case .abort(let id): #expect(running.remove(id) != nil)
                case .complete(let id, _, _): completed[id, default: 0] += 1
                }
            }
            #expect(running.count <= 3)
        }
        for id in UInt64(1)...100 {
            let priority = Bool.random(using: &random) ? Request.Priority.immediate : .normal
            play(.added(id, priority, retryCount: Int.random(in: 0...3, using: &random)))
            now += Double.random(in: 0...2, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: play(.cancelled(UInt64.random(in: 1...id, using: &random)))
            case 1: play(.lifecycle(Bool.random(using: &random) ? .background : .foreground))
            case 2: play(.backgroundTasks(enabled: Bool.random(using: &random)))
            default: break
            }
            if let id = running.sorted().randomElement(using: &random) {
                running.remove(id)
                let results: [AttemptResult] = [
                    ok, .failed(isTransient: true), .answered(status: 502),
                ]
                play(.finished(id, results.randomElement(using: &random) ?? ok))
            }
        }
        play(.lifecycle(.foreground))
        while queue.count > 0 {
            now += 40
            play(.ticked)
            for id in running.sorted() {
                running.remove(id)
                play(.finished(id, .failed(isTransient: true)))
            }
        }
        #expect(completed.count == 100)
        #expect(completed.values.allSatisfy { $0 == 1 })
    }
}
