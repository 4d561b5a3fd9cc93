import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import Proxying

@Suite struct AcceptGateTests {
    /// Counts how often the listener is asked to accept.
    private final class Accepting: ChannelOutboundHandler {
        typealias OutboundIn = Never

        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    /// What was reported.
    private final class Notices: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// A listener with its gate, and what was reported.
    private final class Listener {
        let channel = EmbeddedChannel()
        let accepting = Accepting()
        let notices = Notices()

        init(_ descriptors: DescriptorBudget) throws {
            let gate = AcceptGate(
                descriptors: descriptors, notice: { [notices] in notices.add($0) })
            try channel.pipeline.syncOperations.addHandlers([accepting, gate])
        }

        /// The system has no descriptor for the client that waits, and the channel asks again.
        func fail() {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: 24, reason: "accept"))
            channel.read()
        }

        /// Somebody comes.
        func accept() throws -> EmbeddedChannel {
            let client = EmbeddedChannel(loop: channel.embeddedEventLoop)
            try channel.writeInbound(client as any Channel)
            channel.read()
            return client
        }
    }

    @Test func `does not accept again at once when the system has no descriptor`() throws {
        let listener = try Listener(DescriptorBudget(limit: 64, used: 20))
        listener.fail()
        listener.fail()
        #expect(listener.accepting.count == 0)
        #expect(listener.notices.all.count == 1)
        #expect(listener.notices.all[0].contains("ulimit -n"))
        listener.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(listener.accepting.count == 1)
    }

    @Test func `accepts again as soon as somebody has gone`() throws {
        let listener = try Listener(DescriptorBudget(limit: 64, used: 20))
        let client = try listener.accept()
        #expect(listener.accepting.count == 1)
        listener.fail()
        #expect(listener.accepting.count == 1)
        client.close(promise: nil)
        listener.channel.embeddedEventLoop.run()
        #expect(listener.accepting.count == 2)
    }

    @Test func `accepts nobody while as many are refused as may be`() throws {
        let listener = try Listener(DescriptorBudget(limit: 30, used: 30))
        _ = try listener.accept()
        var refused: [EmbeddedChannel] = []
        for _ in 0..<DescriptorBudget.refusedAtOnce { refused.append(try listener.accept()) }
        #expect(listener.accepting.count == DescriptorBudget.refusedAtOnce)
        #expect(listener.notices.all.count == 1)
        refused[3].close(promise: nil)
        listener.channel.embeddedEventLoop.run()
        #expect(listener.accepting.count == DescriptorBudget.refusedAtOnce + 1)
    }
}
