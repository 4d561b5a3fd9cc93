import NIOCore
import Testing

@testable import Proxying

@Suite struct OwnSocketsTests {
    private func address(_ host: String, _ port: Int) throws -> SocketAddress {
        try SocketAddress(ipAddress: host, port: port)
    }

    @Test func `knows its own connections to its own port, and nobody else's`() throws {
        let sockets = OwnSockets()
        sockets.listens(on: 8080)
        let own = try address("127.0.0.1", 40_001)
        #expect(try sockets.connected(own, to: address("127.0.0.1", 8080)))
        #expect(try !sockets.connected(address("127.0.0.1", 40_002), to: address("127.0.0.1", 80)))
        #expect(sockets.isOwn(own))
        #expect(try sockets.isOwn(address("::ffff:127.0.0.1", 40_001)))
        #expect(try !sockets.isOwn(address("127.0.0.1", 40_002)))
        #expect(try !sockets.isOwn(address("127.0.0.2", 40_001)))
        #expect(sockets.isLooping(own))
        sockets.forget(own)
        #expect(!sockets.isOwn(own))
        #expect(!sockets.isLooping(own))
    }

    @Test func `a loop is reported once`() {
        let sockets = OwnSockets()
        #expect(sockets.isFirstReport())
        #expect(!sockets.isFirstReport())
    }
}
