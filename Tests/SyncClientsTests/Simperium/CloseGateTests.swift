import Framing
import NIOCore
import NIOEmbedded
import Testing
import Wire

@testable import SyncClients

/// What a client writes around its Close.
struct CloseGateTests {
    private let channel = EmbeddedChannel()

    private func written(_ frames: [[UInt8]]) throws -> [[UInt8]] {
        try channel.pipeline.syncOperations.addHandler(CloseGate())
        for frame in frames {
            channel.writeAndFlush(ByteBuffer(bytes: frame), promise: nil)
        }
        var passed: [[UInt8]] = []
        while let next = try channel.readOutbound(as: ByteBuffer.self) {
            passed.append(Array(next.readableBytesView))
        }
        return passed
    }

    @Test func `nothing follows a Close, not even another`() throws {
        let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        let text = SocketHandler.frame(.text, Array("h:1".utf8))
        let close = SocketHandler.frame(.close, WebSocketCloseCode.payload(1000))
        let pong = SocketHandler.frame(.pong, [])
        #expect(
            try written([request, text, pong, close, close, text, pong])
                == [request, text, pong, close])
    }

    @Test func `a text may have any bytes`() throws {
        let texts = (0..<50).map { SocketHandler.frame(.text, Array("\($0)".utf8)) }
        #expect(try written(texts) == texts)
    }
}
