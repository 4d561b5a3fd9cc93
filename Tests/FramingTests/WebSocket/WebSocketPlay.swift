import Framing
import Notation
import Testing
import Wire

extension SplitMix64 {
    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

/// Feeds streams to assemblers.
enum WebSocketPlay {
    static func hex(_ text: String) -> [UInt8] {
        let digits = text.utf8.filter { $0 != 0x20 }.map { byte in
            UInt8(String(decoding: [byte], as: UTF8.self), radix: 16) ?? 0
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The events of a stream that is cut at `cuts` (ascending) and then ends, if it `ends`.
    static func events(
        _ bytes: [UInt8], sender: Peer = .server, compression: PerMessageDeflate? = nil,
        limits: WebSocketLimits = WebSocketLimits(), cuts: [Int] = [], ends: Bool = true
    ) -> [WebSocketEvent] {
        var assembler = WebSocketAssembler(
            sender: sender, compression: compression, limits: limits)
        var events: [WebSocketEvent] = []
        var position = 0
        for cut in cuts + [bytes.count] {
            assembler.consume(bytes.span.extracting(position..<cut), into: &events)
            position = cut
        }
        if ends { assembler.endOfStream(into: &events) }
        return events
    }

    static func messages(_ events: [WebSocketEvent]) -> [WebSocketMessage] {
        events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    static func notes(_ events: [WebSocketEvent]) -> [WebSocketNote] {
        events.compactMap { if case .note(let note, _) = $0 { note } else { nil } }
    }

    static func failures(_ events: [WebSocketEvent]) -> [WebSocketError] {
        events.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }

    /// The first stream position at which two ways of cutting differ, or nil.
    static func firstDifference(
        _ bytes: [UInt8], sender: Peer, compression: PerMessageDeflate?, limits: WebSocketLimits,
        seeds: Range<UInt64>
    ) -> String? {
        func events(_ cuts: [Int]) -> [WebSocketEvent] {
            self.events(
                bytes, sender: sender, compression: compression, limits: limits, cuts: cuts)
        }
        let expected = events([])
        func compare(_ found: [WebSocketEvent], _ name: String) -> String? {
            guard found != expected else { return nil }
            let index = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
            return "\(name): event \(index ?? min(found.count, expected.count))"
        }
        if let difference = compare(events(Array(0..<bytes.count)), "byte by byte") {
            return difference
        }
        for seed in seeds {
            var random = SplitMix64(seed: seed)
            let count = Int.random(in: 1...8, using: &random)
            let cuts = (0..<count).map { _ in Int.random(in: 0...bytes.count, using: &random) }
            if let difference = compare(events(cuts.sorted()), "seed \(seed)") {
                return difference
            }
        }
        return nil
    }
}

/// A stream to be cut in many ways, with what it is about.
struct WebSocketSample: CustomTestStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var sender = Peer.server
    var compression: PerMessageDeflate?
    var limits = WebSocketLimits()
    /// What is noted about it.
    var notes: Set<WebSocketNote> = []

    var testDescription: String { name }
}
