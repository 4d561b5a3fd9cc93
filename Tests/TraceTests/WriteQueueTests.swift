import Testing
import Wire

@testable import Trace

@Suite struct WriteQueueTests {
    private func record(_ count: Int) -> Record {
        .chunk(
            Chunk(
                connection: ConnectionID(1), leg: LegID(1), sender: .client, at: .zero,
                bytes: [UInt8](repeating: 0, count: count)))
    }

    private func kind(_ work: WriteQueue.Work) -> String {
        switch work {
        case .records(let records): "\(records.count) records"
        case .spare: "spare"
        case .finish: "finish"
        }
    }

    @Test func `spare work waits for what comes`() {
        let queue = WriteQueue(budget: 32 << 20)
        for _ in 0..<3 {
            #expect(queue.put([record(10)]))
            #expect(kind(queue.next(deadline: nil, spareWorkFrom: .max)) == "1 records")
        }
        #expect(kind(queue.next(deadline: nil, spareWorkFrom: .max)) == "spare")
        queue.finish()
        #expect(kind(queue.next(deadline: nil, spareWorkFrom: .max)) == "finish")
    }

    @Test func `the whole budget may wait while the writer is held up, and until it has caught up`()
    {
        let queue = WriteQueue(budget: 32 << 20)
        let size = 2 << 20
        let cost = record(size).cost
        #expect(!queue.put([record(size)]))
        queue.hold()
        for _ in 1..<15 { #expect(queue.put([record(size)])) }
        #expect(!queue.put([record(size)]))
        queue.resume()
        queue.release(4 * cost, after: 0)
        // Still far more than usually waits.
        #expect(queue.put([]))
        queue.release(12 * cost, after: 0)
        #expect(queue.isEmpty)
        #expect(!queue.put([record(size)]))
    }

    @Test func `little may wait until it is known how fast it is written`() {
        let queue = WriteQueue(budget: 32 << 20)
        let size = 64 << 10
        #expect(queue.put([record(size)]))
        #expect(!queue.put([record(size)]))
        #expect(kind(queue.next(deadline: nil)) == "2 records")
        queue.release(2 * record(size).cost, after: 100_000)
        for _ in 0..<16 { #expect(queue.put([record(size)])) }
        #expect(kind(queue.next(deadline: nil)) == "16 records")
        // Slow ones take the room back, step by step.
        for _ in 0..<16 { queue.release(record(size).cost, after: 100_000_000) }
        #expect(queue.put([record(size / 4)]))
        #expect(!queue.put([record(size)]))
    }

    @Test func `half of what may wait is written at a time`() {
        let queue = WriteQueue(budget: 32 << 20)
        let half = queue.share
        let cost = record(0).cost
        #expect(queue.put([record(half - cost - 1)]))
        #expect(!queue.isPressed(until: .max))
        #expect(queue.put([record(0)]))
        #expect(queue.isPressed(until: .max))
        #expect(!queue.put([record(half)]))
    }

    @Test func `a flush waits for what is held`() {
        let queue = WriteQueue(budget: 32 << 20)
        _ = queue.put([record(10)])
        queue.hold()
        let done = Shared(false)
        queue.whenWritten { done.set(true) }
        #expect(kind(queue.next(deadline: nil)) == "1 records")
        queue.callFlushes()
        #expect(!done.get())
        #expect(kind(queue.next(deadline: 1)) == "spare")
        queue.resume()
        queue.callFlushes()
        #expect(done.get())
    }
}
