import NIOCore
import NIOPosix
import Testing

@testable import Proxying

@Suite struct ReadBuffersTests {
    /// Sizes of the buffers for reads of which each brings what is there, or what there is room for.
    private func sizes(_ waiting: [Int], with buffers: ReadBuffers) -> [Int] {
        var pool = NIOPooledRecvBufferAllocator(capacity: 1, recvAllocator: buffers)
        return waiting.map { waiting in
            let (_, room) = pool.buffer(allocator: ByteBufferAllocator()) { buffer in
                let room = buffer.writableBytes
                buffer.writeRepeatingByte(0, count: min(waiting, room))
                return room
            }
            pool.record(actualReadBytes: min(waiting, room))
            return room
        }
    }

    @Test func `grow with what waits, up to the largest`() {
        let much = [Int](repeating: 1 << 20, count: 6)
        #expect(
            sizes(much, with: ReadBuffers(largest: 32768))
                == [2048, 4096, 8192, 16384, 32768, 32768])
        #expect(
            sizes([10, 1 << 20, 10, 10], with: ReadBuffers(smallest: 131_072, largest: 131_072))
                == [131_072, 131_072, 131_072, 131_072])
    }

    @Test func `are small again after what was large`() {
        let waiting = [Int](repeating: 1 << 20, count: 5) + [Int](repeating: 10, count: 12)
        #expect(
            sizes(waiting, with: ReadBuffers(largest: 32768)) == [
                2048, 4096, 8192, 16384, 32768, 32768, 32768, 16384, 16384, 8192, 8192, 4096, 4096,
                2048, 2048, 2048, 2048,
            ])
    }
}
