import Framing
import Notation
import Testing
import Wire

@Suite("An assembler passes over missing bytes and finds the next frames")
struct WebSocketGapTests {
    typealias Play = WebSocketPlay

    private func frame(
        _ text: String, fin: Bool = true, opcode: WebSocketOpcode = .text, mask: UInt32? = nil
    ) -> [UInt8] {
        WebSocketFrameEncoder.encode(
            opcode: opcode, payload: Array(text.utf8), fin: fin, mask: mask)
    }

    @Test(arguments: [nil, 77] as [UInt32?]) func `keeps what came before a hole`(
        mask: UInt32?
    ) throws {
        var assembler = WebSocketAssembler(sender: mask == nil ? .server : .client)
        var events: [WebSocketEvent] = []
        let first = frame("0123456789", mask: mask)
        let header = first.count - 10
        assembler.consume(first.span.extracting(0..<header + 3), into: &events)
        #expect(assembler.skip(4, into: &events) == 4)
        assembler.consume(first.span.extracting((header + 7)...), into: &events)
        assembler.consume(frame("next", mask: mask).span, into: &events)
        let messages = Play.messages(events)
        try #require(messages.count == 2)
        #expect(messages[0].payload == Array("012".utf8))
        #expect(messages[0].size == 10 && messages[0].wireSize == 10)
        #expect(messages[0].hasGap)
        #expect(messages[0].problem == "4 bytes are missing, the first at byte 3 as sent")
        #expect(messages[1].payload == Array("next".utf8) && !messages[1].hasGap)
        #expect(Play.notes(events).isEmpty)
    }

    @Test func `names the first of several holes`() {
        var assembler = WebSocketAssembler(sender: .server)
        var events: [WebSocketEvent] = []
        let bytes = frame("0123456789")
        assembler.consume(bytes.span.extracting(0..<5), into: &events)
        _ = assembler.skip(2, into: &events)
        assembler.consume(bytes.span.extracting(7..<9), into: &events)
        _ = assembler.skip(3, into: &events)
        #expect(
            Play.messages(events).map(\.problem)
                == ["5 bytes are missing, the first at byte 3 as sent"])
    }

    /// What is held is let go of while a frame is looked at whose end has not come.
    @Test func `finds a frame that was under way when the bytes before it were let go`() {
        var assembler = WebSocketAssembler(sender: .server)
        var events: [WebSocketEvent] = []
        assembler.lose(1, into: &events)
        let texts = [String(repeating: "a", count: 30_000), "one", "two", "three", "four"]
        let bytes = [UInt8](repeating: 0xFF, count: 40_000) + texts.flatMap { frame($0) }
        assembler.consume(bytes.span, into: &events)
        #expect(Play.messages(events).map(\.payload) == texts.map { Array($0.utf8) })
    }

    @Test(arguments: WebSocketSample.wellFormed + WebSocketSample.odd)
    func `tells of frames that were told and of nothing else before what is pending`(
        sample: WebSocketSample
    ) {
        var assembler = WebSocketAssembler(
            sender: sample.sender, compression: sample.compression, limits: sample.limits)
        var reported: Set<Int64> = []
        for index in sample.bytes.indices {
            let pending = assembler.pendingOffset
            var events: [WebSocketEvent] = []
            assembler.consume(sample.bytes.span.extracting(index...index), into: &events)
            for event in events {
                switch event {
                case .frame(let header):
                    #expect(header.start >= pending)
                    reported.insert(header.start)
                case .message(let message): #expect(reported.contains(message.start))
                case .note(_, let offset): #expect(reported.contains(offset) || offset >= pending)
                case .failure: break
                }
            }
        }
    }

    @Test(arguments: WebSocketSample.wellFormed + WebSocketSample.odd)
    func `finds the same frames in any sample`(sample: WebSocketSample) {
        let whole = Play.events(
            sample.bytes, sender: sample.sender, compression: sample.compression,
            limits: sample.limits)
        func frames(_ events: [WebSocketEvent]) -> [WebSocketFrameHeader] {
            events.compactMap { if case .frame(let header) = $0 { header } else { nil } }
        }
        var random = SplitMix64(seed: UInt64(sample.bytes.count))
        for _ in 0..<20 {
            let start = Int.random(in: 0...sample.bytes.count, using: &random)
            let count = Int.random(in: 0...(sample.bytes.count - start), using: &random)
            var assembler = WebSocketAssembler(
                sender: sample.sender, compression: sample.compression, limits: sample.limits)
            var events: [WebSocketEvent] = []
            assembler.consume(sample.bytes.span.extracting(0..<start), into: &events)
            let skipped = Int(assembler.skip(Int64(count), into: &events))
            #expect(assembler.offset == Int64(start + skipped))
            assembler.consume(sample.bytes.span.extracting((start + skipped)...), into: &events)
            assembler.endOfStream(into: &events)
            #expect(frames(events) == frames(whole), "\(start), \(skipped) of \(count)")
            let messages = Play.messages(events)
            let ideal = Play.messages(whole)
            #expect(messages.map(\.wireSize) == ideal.map(\.wireSize))
            #expect(messages.map(\.end) == ideal.map(\.end))
            for (mine, its) in zip(messages, ideal) where !mine.isCompressed && !mine.hasGap {
                #expect(mine == its)
            }
        }
    }

    /// What is inflated behind a hole is what was sent, or is said not to be.
    @Test(arguments: [true, false]) func `never inflates wrongly behind a hole`(
        takesOver: Bool
    ) throws {
        var found = 0
        for seed in 0..<40 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let deflater = try #require(MessageDeflater(contextTakeover: takesOver))
            let hole = Int.random(in: 0..<6, using: &random)
            var assembler = WebSocketAssembler(
                sender: .server, compression: PerMessageDeflate(serverNoContextTakeover: !takesOver)
            )
            var events: [WebSocketEvent] = []
            var sent: [[UInt8]] = []
            for index in 0..<14 {
                // Some refer to what came before, some cannot.
                let payload =
                    Bool.random(using: &random)
                    ? Array("0:c:[{\"id\":\"note\(index)\",\"ccid\":\"c\",\"o\":\"M\"}]".utf8)
                    : (0..<300).map { _ in UInt8.random(in: 0x21...0x7E, using: &random) }
                sent.append(payload)
                let bytes = WebSocketFrameEncoder.encode(
                    opcode: .text, payload: deflater.deflate(payload.span), rsv: 4)
                guard index == hole else {
                    assembler.consume(bytes.span, into: &events)
                    continue
                }
                assembler.consume(bytes.span.extracting(0..<5), into: &events)
                #expect(assembler.skip(4, into: &events) == 4)
                assembler.consume(bytes.span.extracting(9...), into: &events)
            }
            let messages = Play.messages(events)
            #expect(messages.count == sent.count)
            for (index, message) in messages.enumerated() where index != hole {
                if message.problem == nil {
                    #expect(message.payload == sent[index])
                    if index > hole { found += 1 }
                } else {
                    #expect(index > hole && takesOver)
                    #expect(message.size == message.wireSize)
                }
            }
            #expect(messages[hole].hasGap && messages[hole].problem != nil)
        }
        #expect(found > 20)
    }

    @Test(arguments: [Peer.client, .server]) func `finds frames in the middle of a read`(
        sender: Peer
    ) {
        let mask: UInt32? = sender == .client ? 0xA1B2_C3D4 : nil
        let garbage = Array("est of a message\"}]".utf8)
        let good = frame("0:c:[{\"id\":\"заметка\"}]", mask: mask) + frame("h:12345678", mask: mask)
        for size in [1, 3, 50, 1000] {
            var assembler = WebSocketAssembler(sender: sender)
            var events: [WebSocketEvent] = []
            assembler.lose(10, into: &events)
            #expect(assembler.isSearching)
            let bytes = garbage + good
            for start in stride(from: 0, to: bytes.count, by: size) {
                assembler.consume(
                    bytes.span.extracting(start..<min(bytes.count, start + size)), into: &events)
            }
            #expect(!assembler.isSearching)
            #expect(
                Play.messages(events).map(\.start) == [
                    29, Int64(10 + bytes.count) - Int64(frame("h:12345678", mask: mask).count),
                ])
            #expect(Play.messages(events).allSatisfy { $0.problem == nil })
            #expect(assembler.offset == Int64(10 + bytes.count))
        }
    }

    @Test func `takes no text for frames`() {
        // Letters whose second byte is that of a frame, as Cyrillic has them, and a length behind.
        let text = String(repeating: "ст с т, с\u{7D}Ёж ", count: 3000)
        for size in [1448, 97, 40_000] {
            var assembler = WebSocketAssembler(sender: .server, compression: PerMessageDeflate())
            var events: [WebSocketEvent] = []
            assembler.lose(0, into: &events)
            let bytes = Array(text.utf8.dropFirst())
            for start in stride(from: 0, to: bytes.count, by: size) {
                assembler.consume(
                    bytes.span.extracting(start..<min(bytes.count, start + size)), into: &events)
            }
            #expect(events.isEmpty, "\(size): \(events.count)")
        }
    }

    @Test func `gives up what is under way and goes on after a failure`() throws {
        var assembler = WebSocketAssembler(sender: .server)
        var events: [WebSocketEvent] = []
        assembler.consume(frame("01234567", fin: false).span, into: &events)
        assembler.lose(100, into: &events)
        #expect(Play.messages(events).map(\.hasGap) == [true])
        #expect(Play.notes(events).isEmpty && Play.failures(events).isEmpty)
        assembler.consume((frame("one two three") + frame("four five six")).span, into: &events)
        assembler.consume([0x82, 0x7F] + [UInt8](repeating: 0xFF, count: 8), into: &events)
        #expect(Play.failures(events).count == 1 && assembler.hasEnded)
        assembler.lose(0, into: &events)
        assembler.consume((frame("one two three") + frame("four five six")).span, into: &events)
        #expect(Play.messages(events).count == 5)
        assembler.endOfStream(into: &events)
        assembler.lose(0, into: &events)
        #expect(assembler.hasEnded && !assembler.isSearching)
    }

    /// Bytes that look like the beginning of many frames.
    @Test(arguments: [
        [0x01, 0x7E], [0x81, 0x7E, 0x40], [0x00], [0x89, 0x00, 0xFF], [0xC1, 0x7D],
    ])
    func `stays bounded whatever comes`(pattern: [UInt8]) {
        var assembler = WebSocketAssembler(sender: .server, compression: PerMessageDeflate())
        var events: [WebSocketEvent] = []
        assembler.lose(Int64.max, into: &events)
        let bytes = (0..<100_000).map { pattern[$0 % pattern.count] }
        for start in stride(from: 0, to: bytes.count, by: 700) {
            assembler.consume(
                bytes.span.extracting(start..<min(bytes.count, start + 700)), into: &events)
        }
        #expect(events.count <= 2 * bytes.count)
    }
}

extension WebSocketAssembler {
    fileprivate mutating func consume(_ bytes: [UInt8], into events: inout [WebSocketEvent]) {
        consume(bytes.span, into: &events)
    }
}
