internal import Framing
internal import Trace
internal import Wire

/// Reads bodies and payloads whole, also where a trace keeps only their first bytes beside the
/// chunks.
///
/// For one thread at a time.
struct TraceContents {
    let reader: ReplayReader

    /// The largest payload that is put together, in bytes; of a larger one there are the first.
    private static let largestPayload: Int64 = 256 << 20
    /// The largest window of zstd content, as decoders have to offer it (RFC 9659): 8 MiB.
    private static let largestWindowLog = 23

    /// Gives the decoded body of one side of an exchange, piece by piece.
    ///
    /// What the chunks no longer have, or what cannot be decoded, ends it early.
    ///
    /// - Parameters:
    ///   - id: The exchange.
    ///   - sender: Whose body.
    ///   - side: What the trace keeps of that side.
    ///   - take: Gets each piece; what it throws ends the reading.
    /// - Throws: What `take` throws, and ``Trace/TraceError``.
    func body(
        _ id: ExchangeID, _ sender: Peer, _ side: ReplaySide,
        _ take: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        guard Int64(side.content.count) < side.size else {
            return side.content.isEmpty ? () : try take(side.content[...])
        }
        var framer = HTTPFramer(role: sender == .client ? .request : .response)
        if sender == .server { framer.expect(side.method == "HEAD" ? .head : .other) }
        let decoder =
            try side.coding.isEmpty
            ? nil
            : ContentDecoder(
                codings: side.coding,
                limits: ContentDecodingLimits(maxWindowLog: Self.largestWindowLog))
        var events: [HTTPEvent] = []
        var failure: (any Error)?
        try reader.bytes(of: id, sender) { bytes in
            events.removeAll(keepingCapacity: true)
            let piece = Array(bytes)
            _ = framer.consume(piece.span, into: &events)
            for event in events {
                switch event {
                case .content(let range):
                    do {
                        guard let decoder else {
                            try take(piece[range])
                            continue
                        }
                        var decoded: [UInt8] = []
                        // What was decoded before a mistake counts.
                        let isWell: Void? = try? decoder.decode(piece.span.extracting(range)) {
                            block in block.withUnsafeBufferPointer { decoded += $0 }
                        }
                        try take(decoded[...])
                        if isWell == nil { return false }
                    } catch {
                        failure = error
                        return false
                    }
                case .end, .failure, .opaque: return false
                case .head, .trailers, .note: continue
                }
            }
            return true
        }
        if let failure { throw failure }
    }

    /// The whole payload of a WebSocket message that begins with `start`; `start` where the chunks
    /// no longer have it.
    func payload(
        _ id: MessageID, startingWith start: [UInt8], deflate: PerMessageDeflate?
    ) throws -> [UInt8] {
        guard let place = try reader.place(of: id) else { return start }
        let most = min(place.size, Self.largestPayload)
        var assembler = WebSocketAssembler(
            sender: place.sender, compression: place.isCompressed ? deflate : nil,
            limits: WebSocketLimits(maxStoredPayload: Int(most), maxInflated: most))
        var events: [WebSocketEvent] = []
        var found: [UInt8]?
        try reader.frames(of: place) { bytes in
            events.removeAll(keepingCapacity: true)
            assembler.consume(bytes.span, into: &events)
            for case .message(let message) in events
            where message.size == place.size && message.payload.starts(with: start) {
                found = message.payload
            }
            return found == nil && !assembler.hasEnded
        }
        return found ?? start
    }
}
