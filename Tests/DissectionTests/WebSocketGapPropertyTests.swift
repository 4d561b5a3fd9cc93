import Framing
import Notation
import Testing
import Wire

@testable import Dissection

@Suite("Wherever a WebSocket lacks bytes, what they do not touch is decoded as ever")
struct WebSocketGapPropertyTests {
    /// How messages are compressed.
    enum Compression: CaseIterable {
        case none
        case alone
        case together
    }

    private struct Talk {
        var dialogue = Dialogue()
        /// What each message says, by its number.
        var texts: [[UInt8]] = []
        /// Bytes of the handshake of each peer.
        var opening = [0, 0]
    }

    private func talk(_ compression: Compression, _ dice: inout SplitMix64) -> Talk {
        var talk = Talk()
        let agreed =
            switch compression {
            case .none: ""
            case .alone:
                "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                    + "client_no_context_takeover\r\n"
            case .together: "Sec-WebSocket-Extensions: permessage-deflate\r\n"
            }
        let common = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        let request = Array("GET /ws HTTP/1.1\r\nHost: o\r\n\(common)\r\n".utf8)
        let response = Array("HTTP/1.1 101 Switching Protocols\r\n\(common)\(agreed)\r\n".utf8)
        talk.dialogue.detail(.client, request, unit: -1)
        talk.dialogue.detail(.server, response, unit: -1)
        talk.opening = [request.count, response.count]
        let deflaters = Peer.allCases.map { _ in
            MessageDeflater(contextTakeover: compression == .together)
        }
        for index in 0..<16 {
            let sender = Peer.allCases[Int.random(in: 0...1, using: &dice)]
            let mask: UInt32? =
                sender == .client ? UInt32.random(in: 0...(.max), using: &dice) : nil
            let text = Array("0:x:\(index) ".utf8) + Dialogue.text(&dice)
            talk.texts.append(text)
            var payload = text
            if compression != .none {
                payload = deflaters[sender.rawValue]?.deflate(text.span) ?? []
            }
            let rsv = compression == .none ? 0 : 4
            let cut = Int.random(in: 0...payload.count, using: &dice)
            var bytes: [UInt8]
            if Int.random(in: 0..<4, using: &dice) == 0 {
                bytes = WebSocketFrameEncoder.encode(
                    opcode: .text, payload: Array(payload[..<cut]), fin: false, rsv: rsv, mask: mask
                )
                bytes += WebSocketFrameEncoder.encode(
                    opcode: .continuation, payload: Array(payload[cut...]), mask: mask)
            } else {
                bytes = WebSocketFrameEncoder.encode(
                    opcode: .text, payload: payload, rsv: rsv, mask: mask)
            }
            talk.dialogue.detail(sender, bytes, unit: index)
        }
        return talk
    }

    private func check(seed: UInt64, _ compression: Compression) -> (missed: Int, untouched: Int) {
        var dice = SplitMix64(seed: seed)
        let talk = talk(compression, &dice)
        let sender = Peer.allCases[Int.random(in: 0...1, using: &dice)]
        let size = talk.dialogue.size(sender)
        let first = talk.opening[sender.rawValue]
        guard size > first else { return (0, 0) }
        let start = Int.random(in: first..<size, using: &dice)
        let most = [3, 60, 1460][Int.random(in: 0..<3, using: &dice)]
        let hole = Dialogue.Hole(
            sender: sender, range: start..<min(size, start + Int.random(in: 1...most, using: &dice))
        )
        let touched = talk.dialogue.touched(by: hole)
        var missed = 0
        for longest in [4096, 100] {
            var stage = Stage(mode: .capture)
            talk.dialogue.play(on: &stage, without: hole, longest: longest, dice: &dice)
            let messages = stage.finish().messages
            for (unit, text) in talk.texts.enumerated() {
                let mine = messages.filter { $0.payload == text && $0.problem == nil }
                #expect(mine.count <= 1, "\(seed) \(unit)")
                #expect(mine.isEmpty || !touched.contains(unit), "touched: \(seed) \(unit)")
                if mine.isEmpty, !touched.contains(unit), longest == 4096 { missed += 1 }
            }
            // Nothing that says it is well is anything but what was sent.
            for message in messages where message.problem == nil {
                let isSent = talk.texts.contains(message.payload)
                #expect(
                    isSent, "made up: \(seed) \(String(decoding: message.payload, as: UTF8.self))")
            }
        }
        return (missed, talk.texts.count - touched.count)
    }

    @Test(arguments: Compression.allCases) func `in any place`(compression: Compression) {
        var missed = 0
        var untouched = 0
        for seed in 780..<840 as Range<UInt64> {
            let result = check(seed: seed, compression)
            missed += result.missed
            untouched += result.untouched
        }
        // Frames have to show that they are some before they are believed, and the last of a
        // stream have none behind them; what refers to missing messages is kept compressed.
        let most = compression == .together ? untouched / 4 : untouched / 50
        #expect(missed <= most, "\(missed) of \(untouched)")
    }
}
