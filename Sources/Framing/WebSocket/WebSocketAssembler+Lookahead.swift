extension WebSocketAssembler {
    /// Whether these next bytes of the stream may complete a frame; false where they certainly are
    /// within one.
    public func mayCompleteFrame(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard search == nil, !hasEnded else { return true }
        if frame != nil { return remaining <= Int64(bytes.count) }
        var start = head
        for index in bytes.indices where start.count < 14 { start.append(bytes[index]) }
        guard case .header(let header) = WebSocketFrameHeader.scan(start.span, start: 0) else {
            // Nothing longer than this is a header that is not complete.
            return start.count >= 14
        }
        let count = Int64(head.count + bytes.count) - Int64(header.headerSize)
        return header.payloadSize <= count
    }
}
