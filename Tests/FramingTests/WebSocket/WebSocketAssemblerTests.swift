import Framing
import Testing
import Wire

struct WebSocketAssemblerTests {
    typealias Play = WebSocketPlay

    /// The examples of RFC 6455, section 5.7.
    @Test(arguments: [
        ("81 05 48 65 6c 6c 6f", Peer.server, WebSocketOpcode.text, 1),
        ("81 85 37 fa 21 3d 7f 9f 4d 51 58", .client, .text, 1),
        ("01 03 48 65 6c 80 02 6c 6f", .server, .text, 2),
        ("89 05 48 65 6c 6c 6f", .server, .ping, 1),
        ("8a 85 37 fa 21 3d 7f 9f 4d 51 58", .client, .pong, 1),
    ])
    func `reads the examples of RFC 6455`(
        hex: String, sender: Peer, opcode: WebSocketOpcode, frames: Int
    ) throws {
        let bytes = Play.hex(hex)
        let events = Play.events(bytes, sender: sender)
        #expect(Play.notes(events).isEmpty && Play.failures(events).isEmpty)
        let message = try #require(Play.messages(events).first)
        #expect(
            message
                == WebSocketMessage(
                    opcode: opcode, payload: Array("Hello".utf8), size: 5, wireSize: 5,
                    isCompressed: false, frames: frames, closeCode: nil, isText: true, start: 0,
                    end: Int64(bytes.count), problem: nil))
    }

    @Test(arguments: [256, 65_536])
    func `reads the long examples of RFC 6455`(count: Int) throws {
        let head = count == 256 ? "82 7e 01 00" : "82 7f 00 00 00 00 00 01 00 00"
        let events = Play.events(Play.hex(head) + [UInt8](repeating: 0xAB, count: count))
        #expect(events.count == 2)
        #expect(Play.messages(events).first?.payload == [UInt8](repeating: 0xAB, count: count))
    }

    @Test(arguments: [0, 1, 5, 125, 126, 300]) func `knows what completes no frame`(count: Int) {
        let frame = WebSocketFrameEncoder.encode(
            opcode: .text, payload: [UInt8](repeating: 0x61, count: count), mask: 9)
        for first in 0..<frame.count {
            var assembler = WebSocketAssembler(sender: .client)
            var events: [WebSocketEvent] = []
            assembler.consume(Array(frame[..<first]).span, into: &events)
            for last in first...frame.count {
                let may = assembler.mayCompleteFrame(Array(frame[first..<last]).span)
                #expect(may == (last == frame.count), "\(first)..<\(last) of \(frame.count)")
            }
        }
    }

    @Test func `reports a header before its payload, with all its fields`() {
        var assembler = WebSocketAssembler(sender: .client)
        var events: [WebSocketEvent] = []
        assembler.consume(Play.hex("72 fe 00 03 0a 0b 0c").span, into: &events)
        #expect(events.isEmpty)
        assembler.consume(Play.hex("0d").span, into: &events)
        #expect(
            events.first
                == .frame(
                    WebSocketFrameHeader(
                        start: 0, fin: false, rsv: 7, opcode: .binary, mask: 0x0A0B_0C0D,
                        payloadSize: 3, headerSize: 8, isMinimal: false)))
        #expect(assembler.offset == 8)
        #expect(Play.notes(events) == [.reservedBits, .lengthNotMinimal])
    }

    @Test(arguments: [(125, []), (126, [.controlTooLong])] as [(Int, [WebSocketNote])])
    func `notes control frames that are too long`(count: Int, notes: [WebSocketNote]) {
        let frame = WebSocketFrameEncoder.encode(
            opcode: .ping, payload: [UInt8](repeating: 0x61, count: count))
        #expect(Play.notes(Play.events(frame)) == notes)
    }

    @Test func `delivers control frames between fragments as messages of their own`() {
        let events = Play.events(WebSocketSample.wellFormed[0].bytes)
        let messages = Play.messages(events)
        #expect(messages.map(\.opcode) == [.ping, .pong, .text, .close])
        #expect(messages.map(\.frames) == [1, 1, 3, 1])
        #expect(messages.map(\.start) == [5, 11, 0, 16])
        #expect(messages.map(\.end) == [8, 13, 16, 20])
        #expect(messages[2].payload == Array("Hello".utf8))
        #expect(messages[3].closeCode == 1000)
    }

    @Test func `gives up a message when another begins, before the frame of the other`() throws {
        let bytes = Play.hex("01 01 61 82 01 ff")
        let events = Play.events(bytes)
        try #require(events.count == 5)
        guard case .message(let cut) = events[1], case .frame(let frame) = events[2] else {
            Issue.record("\(events)")
            return
        }
        #expect(cut.payload == [0x61] && cut.end == 3 && cut.problem != nil)
        #expect(frame.start == 3)
        #expect(events[3] == .note(.messageInterrupted, offset: 3))
        #expect(Play.messages(events)[1].isText == false)
    }

    @Test(arguments: [
        (1000, true), (1003, true), (1004, false), (1005, false), (1006, false), (1007, true),
        (1014, true), (1015, false), (1016, false), (2999, false), (3000, true), (4999, true),
        (5000, false), (0, false), (999, false), (65535, false),
    ])
    func `knows which close codes may be sent`(code: Int, maySend: Bool) {
        let payload = WebSocketCloseCode.payload(code, reason: "bye")
        let events = Play.events(
            WebSocketFrameEncoder.encode(opcode: .close, payload: payload))
        #expect(Play.notes(events) == (maySend ? [] : [.closeCode]))
        let message = Play.messages(events).first
        #expect(message?.closeCode == code)
        #expect(message.map { Array($0.closeReason) } == Array("bye".utf8))
    }

    @Test(arguments: WebSocketSample.odd)
    func `notes what is odd and reads on`(sample: WebSocketSample) {
        let events = Play.events(
            sample.bytes, sender: sample.sender, compression: sample.compression,
            limits: sample.limits)
        #expect(Set(Play.notes(events)) == sample.notes)
        #expect(Play.failures(events).isEmpty)
    }

    @Test(arguments: WebSocketSample.wellFormed)
    func `notes nothing about what is well-formed`(sample: WebSocketSample) {
        let events = Play.events(
            sample.bytes, sender: sample.sender, compression: sample.compression,
            limits: sample.limits)
        #expect(Play.notes(events).isEmpty && Play.failures(events).isEmpty)
        #expect(Play.messages(events).allSatisfy { $0.problem == nil })
    }

    @Test func `has a sample of every note`() {
        let seen = WebSocketSample.odd.reduce(into: Set<WebSocketNote>()) { $0.formUnion($1.notes) }
        #expect(seen == Set(WebSocketNote.allCases))
        #expect(WebSocketNote.allCases.allSatisfy { $0.rawValue.hasPrefix("websocket.") })
    }

    @Test func `says where text is not UTF-8`() {
        let events = Play.events(Play.hex("81 03 61 c3 28 81 02 e2 82"))
        #expect(
            events.filter { if case .note = $0 { true } else { false } } == [
                .note(.notUTF8, offset: 0), .note(.notUTF8, offset: 5),
            ])
        let messages = Play.messages(events)
        #expect(messages.map(\.isText) == [false, false])
        #expect(messages[0].problem == "not UTF-8 from byte 1 of the payload on")
        #expect(messages[1].problem == "not UTF-8 from byte 0 of the payload on")
    }

    @Test func `stores the first bytes and counts the rest`() throws {
        let events = Play.events(
            WebSocketFrameEncoder.encode(opcode: .text, payload: Array("ab日本語".utf8), mask: 99),
            sender: .client, limits: WebSocketLimits(maxStoredPayload: 4))
        let message = try #require(Play.messages(events).first)
        #expect(message.payload == Array("ab日".utf8.prefix(4)))
        #expect(message.size == 11 && message.wireSize == 11)
        // The text is cut inside a character, which is not the sender's doing.
        #expect(message.isText && message.problem == nil)
    }

    @Test func `fails on a frame of 2^63 bytes and ignores what follows`() {
        var assembler = WebSocketAssembler(sender: .server)
        var events: [WebSocketEvent] = []
        assembler.consume(
            Play.hex("82 01 00 82 7f 80 00 00 00 00 00 00 00 81 00").span, into: &events)
        #expect(events.last == .failure(.lengthTooLarge(claimed: 1 << 63, offset: 3)))
        #expect(assembler.hasEnded)
        let count = events.count
        assembler.consume(Play.hex("81 00").span, into: &events)
        assembler.endOfStream(into: &events)
        #expect(events.count == count)
    }

    @Test(arguments: [UInt64(1) << 62, UInt64(Int64.max), 1 << 40])
    func `passes a frame of any claimed length in little memory`(claimed: UInt64) throws {
        var assembler = WebSocketAssembler(
            sender: .client, limits: WebSocketLimits(maxStoredPayload: 1000))
        var events: [WebSocketEvent] = []
        let length = (0..<8).map { UInt8(truncatingIfNeeded: claimed >> (56 - 8 * UInt64($0))) }
        assembler.consume(([0x82, 0xFF] + length + [1, 2, 3, 4]).span, into: &events)
        let block = [UInt8](repeating: 0x55, count: 65_536)
        for _ in 0..<100 { assembler.consume(block.span, into: &events) }
        #expect(events.count == 1)
        assembler.endOfStream(into: &events)
        let message = try #require(Play.messages(events).first)
        #expect(message.size == 6_553_600 && message.payload.count == 1000)
        #expect(
            Play.failures(events) == [
                .endInsidePayload(missing: Int64(claimed) - 6_553_600, offset: 0)
            ])
    }

    @Test func `tells at the end of the stream what was under way`() {
        #expect(
            Play.failures(Play.events(Play.hex("81"))) == [.endInsideHeader(offset: 0)])
        #expect(
            Play.failures(Play.events(Play.hex("88 00 81 02 61"))) == [
                .endInsidePayload(missing: 1, offset: 2)
            ])
        #expect(Play.messages(Play.events(Play.hex("81 02 61"))).first?.payload == [0x61])
        let unfinished = Play.events(Play.hex("01 01 61"))
        #expect(Play.notes(unfinished) == [.messageUnfinished])
        #expect(Play.failures(unfinished).isEmpty)
        #expect(Play.messages(unfinished).first?.problem != nil)
        #expect(Play.events([]).isEmpty)
    }

    @Test func `keeps what is compressed as it is where no extension is agreed`() {
        let message = Play.messages(Play.events(Play.hex("c1 02 f2 48"))).first
        #expect(message?.payload == [0xF2, 0x48] && message?.isCompressed == false)
    }
}
