import Dispatch
import Synchronization
import Testing

@testable import tapedeck

@Suite struct OutputQueueTests {
    /// What stands where a reader would be: takes one piece each time it is let.
    private final class Reader: Sendable {
        let taken = Mutex("")
        let failures = Mutex<[Int32]>([])
        let isAsked = DispatchSemaphore(value: 0)
        let mayTake = DispatchSemaphore(value: 0)

        func queue(bound: Int, failing: Int32? = nil) -> OutputQueue {
            OutputQueue(
                bound: bound, skipped: { "<\($0) skipped>" },
                failed: { code in self.failures.withLock { $0.append(code) } },
                write: { bytes in
                    self.isAsked.signal()
                    self.mayTake.wait()
                    self.taken.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                    return failing
                })
        }

        func readAll() { for _ in 0..<100 { mayTake.signal() } }
    }

    @Test func `writes everything in order`() {
        let reader = Reader()
        reader.readAll()
        let queue = reader.queue(bound: 1 << 20)
        for number in 0..<50 { queue.put(Array("line \(number)\n".utf8)) }
        #expect(queue.drain(patience: 60_000) == OutputQueue.Unwritten(lines: 0, failure: nil))
        #expect(
            reader.taken.withLock { $0 }
                == (0..<50).map { "line \($0)\n" }.joined())
    }

    @Test
    func `what comes while nobody reads is skipped beyond the bound, and counted in its place`() {
        let reader = Reader()
        let queue = reader.queue(bound: 20)
        queue.put(Array("first\n".utf8))
        // The thread waits for the reader from here on.
        reader.isAsked.wait()
        queue.put(Array("second\n".utf8))
        queue.put(Array("much too long for the bound\nand\nmore\n".utf8))
        // Short enough, but it would stand before what was skipped.
        queue.put(Array("x\n".utf8))
        reader.readAll()
        #expect(queue.drain(patience: 60_000).lines == 0)
        queue.put(Array("last\n".utf8))
        #expect(queue.drain(patience: 60_000).lines == 0)
        #expect(reader.taken.withLock { $0 } == "first\nsecond\n<4 skipped>last\n")
    }

    @Test func `draining ends where nobody reads, and says what is left`() {
        let reader = Reader()
        let queue = reader.queue(bound: 10)
        queue.put(Array("first\n".utf8))
        reader.isAsked.wait()
        queue.put(Array("two\n".utf8))
        queue.put(Array("skipped\nskipped\n".utf8))
        #expect(queue.drain(patience: 1) == OutputQueue.Unwritten(lines: 3, failure: nil))
        reader.readAll()
    }

    @Test func `a reader that has gone is reported once`() {
        let reader = Reader()
        reader.readAll()
        let queue = reader.queue(bound: 1 << 20, failing: 32)
        queue.put(Array("first\n".utf8))
        #expect(queue.drain(patience: 60_000).failure == 32)
        queue.put(Array("second\n".utf8))
        #expect(queue.drain(patience: 60_000).failure == 32)
        #expect(reader.failures.withLock { $0 } == [32])
        #expect(reader.taken.withLock { $0 } == "first\n")
    }

    @Test func `text above the bound passes where nothing waits`() {
        let reader = Reader()
        reader.readAll()
        let queue = reader.queue(bound: 10)
        let text = String(repeating: "0123456789\n", count: 10_000)
        queue.put(Array(text.utf8))
        #expect(queue.drain(patience: 60_000).lines == 0)
        #expect(reader.taken.withLock { $0 } == text)
    }
}
