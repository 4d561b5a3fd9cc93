internal import Framing
internal import NIOCore
internal import Replaying
internal import Wire

/// One live WebSocket that plays a recorded one.
final class ReplaySocket {
    /// Number of the socket, from 1.
    let number: Int
    /// What it carries.
    let role: SocketRole
    private unowned let coordinator: ReplayCoordinator
    private let channel: any Channel
    private var assembler: WebSocketAssembler
    private let deflater: MessageDeflater?
    private var events: [WebSocketEvent] = []
    private var isDirty = false
    private var beats: RepeatedTask?
    /// Whether a close frame was sent.
    private var isClosing = false

    /// Largest message, in bytes.
    private static let maxBytes = 8 << 20
    /// Time between two heartbeats of SockJS.
    private static let heartbeat = TimeAmount.seconds(25)
    /// How long a client may take to answer a close frame.
    private static let patience = TimeAmount.seconds(5)

    init(
        _ number: Int, _ role: SocketRole, compression: PerMessageDeflate?,
        _ channel: any Channel, _ coordinator: ReplayCoordinator
    ) {
        self.number = number
        self.role = role
        self.channel = channel
        self.coordinator = coordinator
        assembler = WebSocketAssembler(
            sender: .client, compression: compression,
            limits: WebSocketLimits(
                maxStoredPayload: Self.maxBytes, maxInflated: Int64(Self.maxBytes)))
        deflater = compression.flatMap {
            MessageDeflater(
                windowBits: $0.windowBits(.server), contextTakeover: $0.takesContextOver(.server))
        }
        guard role.isSockJS else { return }
        write(.text, SockJSFrame.open.encoded)
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        beats = channel.eventLoop.scheduleRepeatedTask(
            initialDelay: Self.heartbeat, delay: Self.heartbeat
        ) { _ in
            bound.value.write(.text, SockJSFrame.heartbeat.encoded)
            bound.value.channel.flush()
        }
    }

    // MARK: From the client

    /// Processes bytes of the client.
    func receive(_ bytes: borrowing Span<UInt8>) {
        events.removeAll(keepingCapacity: true)
        assembler.consume(bytes, into: &events)
        for event in events {
            switch event {
            case .message(let message): take(message)
            case .failure: close(1002, reason: "Broken framing")
            case .frame, .note: break
            }
        }
        coordinator.flush()
    }

    private func take(_ message: WebSocketMessage) {
        guard !isClosing || message.opcode == .close else { return }
        guard message.size == Int64(message.payload.count) else {
            return close(1009, reason: "Larger than \(Self.maxBytes >> 20) MiB")
        }
        guard message.problem == nil else { return close(1002, reason: "Broken framing") }
        switch message.opcode {
        case .text, .binary:
            if case .conversation = role {
                let isText = message.opcode == .text
                coordinator.received(
                    SocketMessage(isText: isText, payload: message.payload), on: self)
            } else {
                commands(message.payload)
            }
        case .ping: write(.pong, message.payload)
        case .close:
            guard !isClosing else { return channel.close(promise: nil) }
            let code = message.closeCode.flatMap { WebSocketCloseCode.maySend($0) ? $0 : nil }
            close(code ?? 1000, reason: "")
            finish()
        default: break
        }
    }

    private func commands(_ payload: [UInt8]) {
        guard role.isSockJS else { return coordinator.received(payload, on: self) }
        do {
            for message in try SockJSFrame.parse(client: payload.span) {
                coordinator.received(message.text, on: self)
            }
        } catch {
            close(1003, reason: "Broken framing")
        }
    }

    /// The connection was closed.
    func gone() {
        beats?.cancel()
        beats = nil
        coordinator.closed(self)
    }

    // MARK: To the client

    /// Sends a command.
    func send(_ text: [UInt8]) {
        guard !isClosing else { return }
        let isSockJS = role.isSockJS
        write(
            .text,
            isSockJS ? SockJSFrame.messages([.init(text: text, range: 0..<0)]).encoded : text)
    }

    /// Sends a message as it is.
    func send(_ message: SocketMessage) {
        guard !isClosing else { return }
        write(message.isText ? .text : .binary, message.payload)
    }

    /// Ends it as the recorded server did: with a code, or without a word.
    func end(_ code: Int?) {
        guard let code, WebSocketCloseCode.maySend(code) else {
            finish()
            return
        }
        close(code, reason: "")
    }

    /// Sends why it ends, and waits for the client's close frame.
    func close(_ code: Int, reason: String) {
        guard !isClosing else { return }
        write(.close, WebSocketCloseCode.payload(code, reason: reason))
        isClosing = true
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let late = channel.eventLoop.scheduleTask(in: Self.patience) { bound.value.finish() }
        channel.closeFuture.whenComplete { _ in late.cancel() }
    }

    /// Closes the connection after what was written.
    private func finish() {
        isClosing = true
        let channel = channel
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        var payload = payload
        var rsv = 0
        if let deflater, !opcode.isControl {
            payload = deflater.deflate(payload.span)
            rsv = 4
        }
        let frame = WebSocketFrameEncoder.encode(opcode: opcode, payload: payload, rsv: rsv)
        channel.write(channel.allocator.buffer(bytes: frame), promise: nil)
        guard !isDirty else { return }
        isDirty = true
        coordinator.touch(self)
    }

    func flush() {
        isDirty = false
        channel.flush()
    }
}

@available(*, unavailable)
extension ReplaySocket: Sendable {}
