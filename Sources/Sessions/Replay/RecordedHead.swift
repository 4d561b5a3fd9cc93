import Framing
package import Replaying
package import Trace
package import Wire

/// Start line and header fields of a recorded message.
package struct RecordedHead {
    /// Status of a response.
    package var status: Int?
    /// Reason phrase of a response.
    package var reason = ""
    /// The header fields in order.
    package var fields: [ReplayMessage.Field] = []

    /// Reads the bytes of a head as the trace keeps them.
    package init(_ bytes: [UInt8], of sender: Peer) {
        var framer = HTTPFramer(role: sender == .client ? .request : .response)
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        for case .head(let head, _) in events {
            status = head.status
            reason = head.reason
            fields = head.fields.map {
                ReplayMessage.Field(head.text($0.name), head.text($0.value))
            }
            return
        }
    }

    /// Whether it opens a WebSocket.
    package var opensWebSocket: Bool {
        fields.contains {
            $0.name.lowercased() == "upgrade" && $0.value.lowercased().contains("websocket")
        }
    }

    /// Whether it agrees on permessage-deflate.
    package var agreesOnDeflate: Bool {
        fields.contains {
            $0.name.lowercased() == "sec-websocket-extensions"
                && $0.value.lowercased().contains("permessage-deflate")
        }
    }
}

extension ReplayReader {
    /// The whole payload of a WebSocket message out of the chunks, which begins with `start`; nil
    /// where it is not found there.
    package func payload(
        of place: ReplayMessagePlace, startingWith start: [UInt8]
    ) throws(TraceError) -> [UInt8]? {
        // Never more than the chunks can hold inflated.
        let most = min(place.size, 256 << 20)
        var deflate: PerMessageDeflate?
        if place.isCompressed {
            let head = RecordedHead(try side(place.exchange, .server)?.head ?? [], of: .server)
            deflate = PerMessageDeflate.negotiated(
                responseExtensions: head.fields.filter {
                    $0.name.lowercased() == "sec-websocket-extensions"
                }.map(\.value))
        }
        var assembler = WebSocketAssembler(
            sender: place.sender, compression: deflate,
            limits: WebSocketLimits(maxStoredPayload: Int(most), maxInflated: most))
        var events: [WebSocketEvent] = []
        var found: [UInt8]?
        try frames(of: place) { bytes in
            events.removeAll(keepingCapacity: true)
            assembler.consume(bytes.span, into: &events)
            for case .message(let message) in events
            where message.size == place.size && message.isCompressed == place.isCompressed
                && message.payload.count == Int(place.size) && message.payload.starts(with: start)
            {
                found = message.payload
            }
            return found == nil && !assembler.hasEnded
        }
        return found
    }

    /// The body of one side of an exchange out of the chunks, without transfer coding and without
    /// `codings`; what cannot be read any further ends it.
    package func body(
        _ id: ExchangeID, _ sender: Peer, method: String, decoding codings: String
    ) throws(TraceError) -> [UInt8] {
        var body: [UInt8] = []
        try pieces(id, sender, method: method, decoding: codings) {
            body += $0
            return true
        }
        return body
    }

    /// Passes on that body piece by piece; `take` returns whether to go on.
    package func pieces(
        _ id: ExchangeID, _ sender: Peer, method: String, decoding codings: String,
        _ take: (ArraySlice<UInt8>) -> Bool
    ) throws(TraceError) {
        var framer = HTTPFramer(role: sender == .client ? .request : .response)
        if sender == .server { framer.expect(method == "HEAD" ? .head : .other) }
        let decoder = codings.isEmpty ? nil : try? ContentDecoder(codings: codings)
        var events: [HTTPEvent] = []
        try bytes(of: id, sender) { bytes in
            events.removeAll(keepingCapacity: true)
            let piece = Array(bytes)
            _ = framer.consume(piece.span, into: &events)
            for event in events {
                switch event {
                case .content(let range):
                    guard let decoder else {
                        guard take(piece[range]) else { return false }
                        continue
                    }
                    var wantsMore = true
                    let isDecoded: Void? = try? decoder.decode(piece.span.extracting(range)) {
                        decoded in
                        guard wantsMore else { return }
                        wantsMore = decoded.withUnsafeBufferPointer { take(Array($0)[...]) }
                    }
                    guard isDecoded != nil, wantsMore else { return false }
                case .end, .failure, .opaque: return false
                case .head, .trailers, .note: continue
                }
            }
            return true
        }
    }
}
