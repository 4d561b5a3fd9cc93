import Framing
import Wire

extension WebSocketSample {
    private static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8] = [], fin: Bool = true, rsv: Int = 0,
        mask: UInt32? = nil
    ) -> [UInt8] {
        WebSocketFrameEncoder.encode(
            opcode: opcode, payload: payload, fin: fin, rsv: rsv, mask: mask)
    }

    private static func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Texts compressed one after the other, each in a frame of its own.
    private static func deflated(
        _ texts: [String], takeover: Bool, mask: UInt32? = nil, fragments: Int = 1
    ) -> [UInt8] {
        guard let deflater = MessageDeflater(contextTakeover: takeover) else { return [] }
        return texts.flatMap { text -> [UInt8] in
            let payload = deflater.deflate(utf8(text).span)
            let step = max(1, (payload.count + fragments - 1) / fragments)
            var starts = Array(stride(from: 0, to: payload.count, by: step))
            let last = starts.removeLast()
            var bytes: [UInt8] = []
            for (index, start) in starts.enumerated() {
                bytes += frame(
                    index == 0 ? .text : .continuation, Array(payload[start..<(start + step)]),
                    fin: false, rsv: index == 0 ? 4 : 0, mask: mask)
                bytes += frame(.ping, [UInt8(truncatingIfNeeded: index)], mask: mask)
            }
            return bytes
                + frame(
                    starts.isEmpty ? .text : .continuation, Array(payload[last...]),
                    rsv: starts.isEmpty ? 4 : 0, mask: mask)
        }
    }

    private static let texts = [
        #"0:c:{"o":"M","id":"a","v":{"title":{"o":"r","v":"äöü"}}}"#,
        #"0:c:{"o":"M","id":"b","v":{"title":{"o":"r","v":"日本"}}}"#, "", "h:1", "h:2",
        String(repeating: "0:c:", count: 5000),
    ]

    private static let takeover = PerMessageDeflate()
    private static let noTakeover = PerMessageDeflate(
        serverNoContextTakeover: true, clientNoContextTakeover: true)
    private static let broken = frame(.binary, [0xFF, 0xFF, 0xFF], rsv: 4)
    private static let bomb: [UInt8] = {
        let deflater = MessageDeflater(level: 9, contextTakeover: false)
        let payload = deflater?.deflate([UInt8](repeating: 0x61, count: 300_000).span) ?? []
        return frame(.text, payload, rsv: 4)
    }()

    /// Streams as they should be.
    static let wellFormed: [WebSocketSample] = [
        WebSocketSample(
            name: "fragments with control frames between them",
            bytes: frame(.text, utf8("Hel"), fin: false) + frame(.ping, utf8("?"))
                + frame(.continuation, utf8("l"), fin: false) + frame(.pong)
                + frame(.continuation, utf8("o")) + frame(.close, WebSocketCloseCode.payload(1000))),
        WebSocketSample(
            name: "masked, all lengths",
            bytes: [0, 1, 7, 8, 9, 125, 126, 127, 0xFFFF, 0x10000].flatMap { count in
                frame(
                    .binary, (0..<count).map { UInt8(truncatingIfNeeded: $0) },
                    mask: 0xA1B2_C3D4 &+ UInt32(count))
            }, sender: .client),
        WebSocketSample(
            name: "compressed with takeover, masked, in fragments",
            bytes: deflated(texts, takeover: true, mask: 0x0102_03FF, fragments: 3),
            sender: .client, compression: takeover),
        WebSocketSample(
            name: "compressed with takeover", bytes: deflated(texts, takeover: true),
            compression: takeover),
        WebSocketSample(
            name: "compressed without takeover",
            bytes: deflated(texts, takeover: false, fragments: 2), compression: noTakeover),
        WebSocketSample(
            name: "compressed and not, mixed",
            bytes: deflated([texts[0]], takeover: true) + frame(.text, utf8("plain"))
                + frame(.binary, [0xFF]), compression: takeover),
        WebSocketSample(
            name: "text cut inside a character",
            bytes: frame(.text, utf8("ab日本語")) + frame(.text, utf8("日本語"), fin: false)
                + frame(.continuation, utf8("日本語")), limits: .init(maxStoredPayload: 4)),
    ]

    /// Streams with something odd, each with all that is noted about it.
    static let odd: [WebSocketSample] = [
        WebSocketSample(
            name: "unmasked client", bytes: frame(.text, utf8("a")), sender: .client,
            notes: [.unmasked]),
        WebSocketSample(
            name: "masked server", bytes: frame(.text, utf8("a"), mask: 7), notes: [.masked]),
        WebSocketSample(
            name: "compressed without extension", bytes: frame(.text, utf8("a"), rsv: 4),
            notes: [.reservedBits]),
        WebSocketSample(
            name: "second reserved bit", bytes: frame(.text, utf8("a"), rsv: 2),
            compression: takeover, notes: [.reservedBits]),
        WebSocketSample(
            name: "compressed ping and continuation",
            bytes: frame(.ping, rsv: 4) + frame(.text, fin: false)
                + frame(.continuation, utf8("a"), rsv: 4),
            compression: takeover, notes: [.reservedBits]),
        WebSocketSample(
            name: "reserved opcodes",
            bytes: frame(.init(rawValue: 3), utf8("a"), fin: false) + frame(.init(rawValue: 11))
                + frame(.continuation, utf8("b")), notes: [.reservedOpcode]),
        WebSocketSample(
            name: "lengths not minimal",
            bytes: [0x82, 126, 0, 1, 7] + [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0],
            notes: [.lengthNotMinimal]),
        WebSocketSample(
            name: "long ping", bytes: frame(.ping, [UInt8](repeating: 1, count: 200)),
            notes: [.controlTooLong]),
        WebSocketSample(
            name: "fragmented ping",
            bytes: frame(.ping, [1], fin: false) + frame(.continuation, [2]),
            notes: [.controlFragmented, .continuationWithoutStart]),
        WebSocketSample(
            name: "continuations without start",
            bytes: frame(.continuation, [1], fin: false) + frame(.continuation, [2])
                + frame(.text, utf8("a")), notes: [.continuationWithoutStart]),
        WebSocketSample(
            name: "interrupted message",
            bytes: frame(.text, Array(utf8("ä").dropLast()), fin: false)
                + frame(.text, utf8("new")),
            notes: [.messageInterrupted]),
        WebSocketSample(
            name: "interrupted compressed message",
            bytes: frame(.text, [0xF2, 0x48], fin: false, rsv: 4) + frame(.text, utf8("new"))
                + deflated(["lost"], takeover: true),
            compression: takeover, notes: [.messageInterrupted, .contextLost]),
        WebSocketSample(
            name: "unfinished message", bytes: frame(.text, utf8("a"), fin: false),
            notes: [.messageUnfinished]),
        WebSocketSample(
            name: "after close", bytes: frame(.close) + frame(.text, utf8("a")),
            notes: [.afterClose]),
        WebSocketSample(
            name: "bad close codes",
            bytes: frame(.close, WebSocketCloseCode.payload(1005)), notes: [.closeCode]),
        WebSocketSample(
            name: "close with half a code", bytes: frame(.close, [3]), notes: [.closePayload]),
        WebSocketSample(
            name: "close reason not UTF-8",
            bytes: frame(.close, WebSocketCloseCode.payload(1000) + [0x61, 0xC3]),
            notes: [.notUTF8]),
        WebSocketSample(
            name: "text not UTF-8",
            bytes: frame(.text, [0x61, 0xC3, 0x28]) + frame(.text, [0xE2, 0x82]),
            notes: [.notUTF8]),
        WebSocketSample(
            name: "text not UTF-8 beyond what is stored",
            bytes: frame(.text, utf8("abcdef") + [0xFF]), limits: .init(maxStoredPayload: 3),
            notes: [.notUTF8]),
        WebSocketSample(
            name: "deflate broken with takeover",
            bytes: deflated([texts[0]], takeover: true) + broken + frame(.text, utf8("plain"))
                + deflated([texts[1]], takeover: true),
            compression: takeover, notes: [.inflateFailed, .contextLost]),
        WebSocketSample(
            name: "deflate broken without takeover",
            bytes: broken + deflated([texts[1]], takeover: false), compression: noTakeover,
            notes: [.inflateFailed]),
        WebSocketSample(
            name: "deflate cut", bytes: frame(.text, [0xF2, 0x48], rsv: 4), compression: noTakeover,
            notes: [.inflateFailed]),
        WebSocketSample(
            name: "bomb with takeover", bytes: bomb + deflated([texts[0]], takeover: true),
            compression: takeover, limits: .init(maxStoredPayload: 1000, maxInflated: 100_000),
            notes: [.inflateLimit, .contextLost]),
        WebSocketSample(
            name: "bomb without takeover", bytes: bomb + deflated([texts[0]], takeover: false),
            compression: noTakeover, limits: .init(maxStoredPayload: 1000, maxInflated: 100_000),
            notes: [.inflateLimit]),
    ]

    /// Streams that end, or cannot be read on.
    static let failing: [WebSocketSample] = [
        WebSocketSample(
            name: "2^63 in a fragmented message",
            bytes: frame(.text, utf8("a"), fin: false)
                + [0x80, 127, 0x80, 0, 0, 0, 0, 0, 0, 0] + utf8("ignored")),
        WebSocketSample(
            name: "2^62", bytes: [0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0] + utf8("some")),
        WebSocketSample(
            name: "ends inside a masked header", bytes: [0x82, 0xFE, 0, 200, 1, 2], sender: .client),
        WebSocketSample(
            name: "ends inside a ping inside a compressed message",
            bytes: frame(.text, [0xF2, 0x48], fin: false, rsv: 4) + [0x89, 5, 1, 2],
            compression: takeover),
    ]
}
