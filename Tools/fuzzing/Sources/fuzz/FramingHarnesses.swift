internal import Framing
internal import Wire

extension Harness {
    static let framing: [Harness] = [webSocket, deflate, sockJS, coding, utf8]

    /// Assembles messages whole and in pieces; the first byte chooses peer and compression.
    private static let webSocket = Harness(name: "websocket") { bytes in
        var input = Input(bytes)
        let choice = input.choice()
        let stream = input.bytes
        let compression: PerMessageDeflate? =
            switch choice & 6 {
            case 0: nil
            case 2: PerMessageDeflate(serverNoContextTakeover: true, clientNoContextTakeover: true)
            default: PerMessageDeflate()
            }
        let limits = WebSocketLimits(
            maxStoredPayload: choice & 8 == 0 ? 1 << 16 : 20,
            maxInflated: choice & 16 == 0 ? 1 << 20 : 1000)
        func events(_ pieces: [Range<Int>]) -> [WebSocketEvent] {
            var assembler = WebSocketAssembler(
                sender: choice & 1 == 0 ? .client : .server, compression: compression,
                limits: limits)
            var events: [WebSocketEvent] = []
            for piece in pieces {
                let (pending, reported) = (assembler.pendingOffset, events.count)
                assembler.consume(stream.span.extracting(piece), into: &events)
                for case .frame(let header) in events[reported...] {
                    demand(header.start >= pending, "frames begin where one is pending")
                }
            }
            assembler.endOfStream(into: &events)
            return events
        }
        var dice = Dice(bytes)
        let whole = events([0..<stream.count])
        demandSame(whole, events(dice.cut(stream.count)), "cuts change nothing of a WebSocket")
        for case .message(let message) in whole {
            demand(message.payload.count <= limits.maxStoredPayload, "what is stored is bounded")
            demand(message.size >= Int64(message.payload.count), "all is at least a part")
            // What could not be inflated is kept as it came.
            demand(
                message.size <= limits.maxInflated || !message.isCompressed
                    || message.size == message.wireSize, "no bomb")
        }
        skip(stream, choice & 1 == 0 ? .client : .server, compression, limits, &dice)
    }

    /// Passes over bytes that are there, and looks for frames behind those that are not.
    private static func skip(
        _ stream: [UInt8], _ sender: Peer, _ compression: PerMessageDeflate?,
        _ limits: WebSocketLimits, _ dice: inout Dice
    ) {
        func frames(_ events: [WebSocketEvent]) -> [WebSocketFrameHeader] {
            events.compactMap { if case .frame(let header) = $0 { header } else { nil } }
        }
        let start = Int(dice.next() % UInt64(stream.count + 1))
        let count = Int(dice.next() % UInt64(stream.count - start + 1))
        func read(skipping count: Int) -> [WebSocketEvent] {
            var assembler = WebSocketAssembler(
                sender: sender, compression: compression, limits: limits)
            var events: [WebSocketEvent] = []
            assembler.consume(stream.span.extracting(0..<start), into: &events)
            let skipped = Int(assembler.skip(Int64(count), into: &events))
            demand((0...count).contains(skipped), "no more is passed over than is missing")
            assembler.consume(
                stream.span.extracting((start + skipped)..<stream.count), into: &events)
            assembler.endOfStream(into: &events)
            return events
        }
        demandSame(
            frames(read(skipping: count)), frames(read(skipping: 0)),
            "what is passed over changes no frame")
        var assembler = WebSocketAssembler(sender: sender, compression: compression, limits: limits)
        var events: [WebSocketEvent] = []
        assembler.lose(Int64(bitPattern: dice.next()), into: &events)
        for piece in dice.cut(stream.count) {
            assembler.consume(stream.span.extracting(piece), into: &events)
        }
        for case .message(let message) in events {
            demand(message.payload.count <= limits.maxStoredPayload, "what is stored is bounded")
        }
    }

    /// Deflates messages, a line each, puts them into frames and reads them again.
    private static let deflate = Harness(name: "deflate") { bytes in
        var input = Input(bytes)
        let choice = input.choice()
        let takesOver = choice & 1 == 0
        guard
            let deflater = MessageDeflater(
                level: Int(choice >> 4) % 11 - 1, windowBits: 8 + Int(choice >> 1) & 7,
                contextTakeover: takesOver)
        else { return }
        var assembler = WebSocketAssembler(
            sender: .client, compression: PerMessageDeflate(clientNoContextTakeover: !takesOver))
        for line in Input.lines(input.bytes, most: 20) {
            let mask = UInt32(line.count) &* 0x9E37_79B9
            let frame = WebSocketFrameEncoder.encode(
                opcode: .binary, payload: deflater.deflate(line.span), rsv: 4, mask: mask)
            var events: [WebSocketEvent] = []
            assembler.consume(frame.span, into: &events)
            guard case .message(let message)? = events.last, events.count == 2 else {
                return demand(false, "a frame is one message: \(events)")
            }
            demand(message.payload == line && message.problem == nil, "inflated it is the same")
        }
    }

    /// Reads SockJS frames of both peers, and writes them again.
    private static let sockJS = Harness(name: "sockjs") { bytes in
        do throws(SockJSError) {
            let frame = try SockJSFrame.parse(server: bytes.span)
            let again = try? SockJSFrame.parse(server: frame.encoded.span)
            demand(again.map(texts) == texts(frame), "a server's frame written again is the same")
        } catch {
            demand((0...bytes.count).contains(error.offset), "\(error) is inside the frame")
        }
        do throws(SockJSError) {
            let messages = try SockJSFrame.parse(client: bytes.span).map(\.text)
            let written = SockJSFrame.encode(client: messages)
            let again = try? SockJSFrame.parse(client: written.span).map(\.text)
            demand(again == messages, "a client's frame written again is the same")
        } catch {
            demand((0...bytes.count).contains(error.offset), "\(error) is inside the frame")
        }
    }

    private static func texts(_ frame: SockJSFrame) -> [[UInt8]] {
        switch frame {
        case .open: [[0]]
        case .heartbeat: [[1]]
        case .messages(let messages): [[2]] + messages.map(\.text)
        case .close(let code, let reason): [[3], Array("\(code)".utf8), reason.text]
        }
    }

    /// Undoes content codings whole and in pieces; the first byte chooses them.
    private static let coding = Harness(name: "coding") { bytes in
        let names = ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate", "deflate, gzip"]
        var input = Input(bytes)
        let codings = names[Int(input.choice()) % names.count]
        let body = input.bytes
        let limits = ContentDecodingLimits(
            maxDecodedBytes: 1 << 20, ratioFromBytes: 1 << 16, maxRatio: 200, maxWindowLog: 20)
        func decode(_ pieces: [Range<Int>]) -> (bytes: [UInt8], error: String?) {
            var result: [UInt8] = []
            do throws(ContentCodingError) {
                let decoder = try ContentDecoder(codings: codings, limits: limits)
                for piece in pieces {
                    try decoder.decode(body.span.extracting(piece)) {
                        (block) throws(ContentCodingError) in
                        demand(block.count <= 1 << 16 && block.count > 0, "blocks are bounded")
                        block.withUnsafeBufferPointer { result.append(contentsOf: $0) }
                    }
                }
                try decoder.finish()
                return (result, nil)
            } catch {
                // Where a library notices is its business.
                if case .bomb = error { return (result, "bomb") }
                return (result, "broken")
            }
        }
        var dice = Dice(bytes)
        let whole = decode([0..<body.count])
        let pieces = decode(dice.cut(body.count))
        demand(whole.bytes.count <= 1 << 20, "a bomb is stopped")
        // libzstd checks the length that a frame states where it has all of the frame at once, and
        // overlooks it before an empty last block where it has not.
        if codings.contains("zstd"), (whole.error == nil) != (pieces.error == nil) { return }
        if whole.error == nil || pieces.error == nil {
            demand(whole == pieces, "cuts change nothing of \(codings)")
        }
    }

    /// Checks UTF-8 in pieces against the standard library.
    private static let utf8 = Harness(name: "utf8", longest: 512) { bytes in
        var dice = Dice(bytes)
        var check = UTF8Check()
        for piece in dice.cut(bytes.count) { check.consume(bytes.span.extracting(piece)) }
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        demand(check.isValid == isValid, "valid is what the standard library takes")
        demand(UTF8Check.isValid(bytes.span) == isValid, "whole it is the same")
        if let offset = check.firstInvalidOffsetAtEnd {
            let good = bytes.prefix(Int(offset))
            demand(String(validating: good, as: UTF8.self) != nil, "what is before is valid")
        }
    }
}
