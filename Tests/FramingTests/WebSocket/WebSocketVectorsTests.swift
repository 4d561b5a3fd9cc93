import Foundation
import Framing
import Notation
import Testing
import Wire

/// Conversations that the `websockets` package made; `Tools/oracles/websocket_vectors.py` has
/// their format.
struct WebSocketVectorsTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        struct Message: Hashable {
            var opcode: Int
            var frames: Int
            var payload: [UInt8]
        }

        var line: Int
        var compression: PerMessageDeflate?
        var sender: Peer
        var wire: [UInt8]
        var messages: [Message]

        var testDescription: String { "line \(line)" }
    }

    private static func hex(_ text: Substring) -> [UInt8] {
        let digits = text.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static let vectors: [Vector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Vectors/websocket.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").enumerated().compactMap { index, line -> Vector? in
            let fields = line.split(separator: " ")
            guard fields.count == 4, !line.hasPrefix("#") else { return nil }
            let numbers = fields[0].split(separator: ":").dropFirst().compactMap { Int($0) }
            let compression =
                numbers.count == 4
                ? PerMessageDeflate(
                    serverNoContextTakeover: numbers[0] == 1,
                    clientNoContextTakeover: numbers[1] == 1, serverMaxWindowBits: numbers[2],
                    clientMaxWindowBits: numbers[3]) : nil
            let messages = fields[3].split(separator: ",").map { message in
                let parts = message.split(separator: ":")
                let payload = parts[2].split(separator: "*", omittingEmptySubsequences: false)
                let unit = hex(payload[1])
                return Vector.Message(
                    opcode: Int(parts[0]) ?? -1, frames: Int(parts[1]) ?? -1,
                    payload: (0..<(Int(payload[0]) ?? 0)).flatMap { _ in unit })
            }
            return Vector(
                line: index + 1, compression: compression,
                sender: fields[1] == "client" ? .client : .server, wire: hex(fields[2]),
                messages: messages)
        }
    }()

    @Test func `has vectors of every kind`() {
        let vectors = Self.vectors
        #expect(vectors.count >= 100)
        for sender in Peer.allCases {
            #expect(vectors.contains { $0.sender == sender && $0.compression == nil })
            for takeover in [true, false] {
                #expect(
                    vectors.contains {
                        $0.sender == sender && $0.compression?.takesContextOver(sender) == takeover
                    })
            }
        }
        #expect(vectors.contains { $0.messages.contains { $0.frames > 1 } })
        #expect(vectors.contains { $0.messages.contains { $0.payload.count > 50_000 } })
    }

    @Test(arguments: vectors)
    func `reads what websockets writes, however it is cut`(vector: Vector) {
        let events = WebSocketPlay.events(
            vector.wire, sender: vector.sender, compression: vector.compression)
        #expect(WebSocketPlay.notes(events).isEmpty && WebSocketPlay.failures(events).isEmpty)
        let messages = WebSocketPlay.messages(events)
        #expect(messages.allSatisfy { $0.problem == nil })
        #expect(
            messages.map {
                Vector.Message(
                    opcode: Int($0.opcode.rawValue), frames: $0.frames, payload: $0.payload)
            } == vector.messages)
        let difference = WebSocketPlay.firstDifference(
            vector.wire, sender: vector.sender, compression: vector.compression,
            limits: WebSocketLimits(), seeds: 0..<10)
        #expect(difference == nil)
    }

    /// Writes the same messages with our own encoder, for `websocket_vectors.py --check`.
    @Test func `writes the same messages, and reads them back`() throws {
        var lines: [String] = []
        for vector in Self.vectors {
            let takeover = vector.compression?.takesContextOver(vector.sender) ?? false
            let deflater = try vector.compression.map { compression in
                try #require(
                    MessageDeflater(
                        windowBits: compression.windowBits(vector.sender),
                        contextTakeover: takeover))
            }
            var random = SplitMix64(seed: UInt64(vector.line))
            var wire: [UInt8] = []
            for message in vector.messages {
                let opcode = WebSocketOpcode(rawValue: UInt8(message.opcode))
                let isDeflated =
                    !opcode.isControl && deflater != nil && Bool.random(using: &random)
                let payload =
                    isDeflated ? deflater?.deflate(message.payload.span) ?? [] : message.payload
                wire += WebSocketFrameEncoder.encode(
                    opcode: opcode, payload: payload, rsv: isDeflated ? 4 : 0,
                    mask: vector.sender == .client
                        ? UInt32(truncatingIfNeeded: random.next()) : nil)
            }
            let messages = WebSocketPlay.messages(
                WebSocketPlay.events(
                    wire, sender: vector.sender, compression: vector.compression))
            #expect(messages.map(\.payload) == vector.messages.map(\.payload))
            #expect(messages.allSatisfy { $0.problem == nil && $0.frames == 1 })
            lines.append(line(vector, wire))
        }
        if let path = ProcessInfo.processInfo.environment["TAPEDECK_WEBSOCKET_VECTORS"] {
            try (lines.joined(separator: "\n") + "\n").write(
                toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private func line(_ vector: Vector, _ wire: [UInt8]) -> String {
        func hex(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let config =
            vector.compression.map {
                "deflate:\($0.serverNoContextTakeover ? 1 : 0)"
                    + ":\($0.clientNoContextTakeover ? 1 : 0)"
                    + ":\($0.serverMaxWindowBits):\($0.clientMaxWindowBits)"
            } ?? "none"
        let messages = vector.messages.map { "\($0.opcode):1:1*\(hex($0.payload))" }
        return "\(config) \(vector.sender) \(hex(wire)) \(messages.joined(separator: ","))"
    }
}
