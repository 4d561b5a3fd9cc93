internal import Framing
internal import NIOCore
internal import NIOWebSocket
internal import Simperium

/// What a line sends through; all but its properties is for its event loop.
protocol SocketOutlet: Sendable {
    /// The event loop.
    var eventLoop: any EventLoop { get }
    /// Address of the client, as text.
    var peer: String { get }
    /// Whether it takes more; the line is flushed when it does again.
    var isWritable: Bool { get }
    /// Sends a message with the next flush.
    func write(_ message: [UInt8])
    /// Sends what was written.
    func flush()
    /// Has the client's next messages read.
    func read()
    /// The client closes with this code, or answers our closing.
    func finish(_ code: UInt16, isAnswer: Bool)
    /// Closes with a code of RFC 6455, 7.4.
    func end(_ code: UInt16, _ reason: String)
}

/// A WebSocket, with messages as they are or in the frames of SockJS.
struct WebSocketOutlet: SocketOutlet {
    let channel: any Channel
    let transport: SimperiumEndpoint.Transport

    var eventLoop: any EventLoop { channel.eventLoop }
    var peer: String {
        channel.remoteAddress.map { "\($0.ipAddress ?? "?"):\($0.port ?? 0)" } ?? "?"
    }
    var isWritable: Bool { channel.isWritable }

    func write(_ message: [UInt8]) {
        let data =
            switch transport {
            case .webSocket: ByteBuffer(bytes: message)
            case .sockJS:
                ByteBuffer(
                    bytes: SockJSFrame.messages([.init(text: message, range: 0..<0)]).encoded)
            }
        channel.write(WebSocketFrame(fin: true, opcode: .text, data: data), promise: nil)
    }

    func flush() { channel.flush() }

    func read() { channel.read() }

    func finish(_ code: UInt16, isAnswer: Bool) {
        guard !isAnswer else { return channel.close(promise: nil) }
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: Int(code)))
        let done = channel.eventLoop.makePromise(of: Void.self)
        done.futureResult.whenComplete { [channel] _ in channel.close(promise: nil) }
        channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .connectionClose, data: data), promise: done)
    }

    func end(_ code: UInt16, _ reason: String) {
        if transport == .sockJS {
            let text = SockJSMessage(text: Array(reason.utf8), range: 0..<0)
            let bytes = ByteBuffer(bytes: SockJSFrame.close(code: Int(code), reason: text).encoded)
            channel.write(WebSocketFrame(fin: true, opcode: .text, data: bytes), promise: nil)
        }
        var data = channel.allocator.buffer(capacity: 2 + reason.utf8.count)
        data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: Int(code)))
        data.writeString(String(reason.prefix(100)))
        channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .connectionClose, data: data), promise: nil)
        // What the client still sends is read and dropped until it closes: closing with bytes
        // unread would take the code away from it.
        channel.read()
        let late = channel.eventLoop.scheduleTask(in: SocketLine.patience) { [channel] in
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in late.cancel() }
    }
}
