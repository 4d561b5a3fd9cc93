import NIOCore

/// What a client may still write to a WebSocket: nothing after its Close (RFC 6455, 5.5.1).
struct CloseGate {
    /// Whether it has sent a Close.
    private(set) var isClosed = false

    /// Whether frames may be written; a Close is the last, and stands alone.
    mutating func passes(_ frames: ByteBuffer) -> Bool {
        guard !isClosed else { return false }
        let first = frames.getInteger(at: frames.readerIndex, as: UInt8.self) ?? 0
        isClosed = first & 0x0F == 0x08
        return true
    }

    /// Whether a Close may be written now, as the last frame.
    mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }
}
