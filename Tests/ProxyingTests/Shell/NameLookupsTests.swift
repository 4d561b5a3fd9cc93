import Dispatch
import NIOCore
import NIOPosix
import Testing

@testable import Proxying

@Suite struct NameLookupsTests {
    // There are many more than processors. Where they share threads, another one comes each second.
    @Test(.timeLimit(.minutes(1))) func `names that take long hold up no other`() throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let isKnown = DispatchSemaphore(value: 0)
        let lookups = NameLookups { host, _ in
            if host == "slow.test" { isKnown.wait() }
            return .failure(.init(description: host))
        }
        func look(up host: String) -> EventLoopFuture<[SocketAddress]> {
            lookups.resolver(on: group.next()).initiateAAAAQuery(host: host, port: 80)
        }
        let slow = (0..<150).map { _ in look(up: "slow.test") }
        #expect(throws: NameLookups.Unknown.self) { try look(up: "quick.test").wait() }
        for _ in slow { isKnown.signal() }
        for each in slow {
            #expect(throws: NameLookups.Unknown.self) { try each.wait() }
        }
    }
}
