internal import Capturing
internal import Wire

extension Harness {
    static let capturedTLS: [Harness] = [tlsStream, keyLog]

    /// Reads what two sides sent, of which some was not captured.
    ///
    /// The first byte says whether there are keys. Then come steps: a byte whose lowest bit is the
    /// sender, whose next says that bytes are missing, and whose others are a count, sixteen times
    /// as large where the highest is set; behind it the bytes, unless they are missing.
    private static let tlsStream = Harness(name: "tls-stream", longest: 4096) { bytes in
        var input = Input(bytes)
        let keys = input.choice() & 1 == 0 ? Keys.all : KeyLog()
        var dice = Dice(bytes)
        var whole = Listening(), pieces = Listening()
        var given: [Peer: Int64] = [:], lost: [Peer: Int64] = [:]
        var at: Int64 = 0
        while !input.rest.isEmpty {
            let choice = input.choice()
            let sender: Peer = choice & 1 == 0 ? .client : .server
            let count = Int(choice >> 2 & 31) * (choice & 128 == 0 ? 1 : 16) + 1
            at += 1
            if choice & 2 != 0 {
                lost[sender, default: 0] += Int64(count)
                whole.miss(Int64(count), sender, at, keys)
                pieces.miss(Int64(count), sender, at, keys)
                continue
            }
            let part = Array(input.take(count))
            given[sender, default: 0] += Int64(part.count)
            whole.hear(part[...], sender, at, keys)
            for piece in dice.cut(part.count) { pieces.hear(part[piece], sender, at, keys) }
        }
        whole.finish(at, keys)
        pieces.finish(at, keys)
        demandSame(whole.events, pieces.events, "cuts change nothing")
        for sender in Peer.allCases {
            let sums = whole.sums(sender)
            demand(sums.missing == lost[sender, default: 0], "all that is missing is told once")
            demand(sums.read <= given[sender, default: 0], "nothing is told twice")
        }
    }

    /// Reads a key log.
    private static let keyLog = Harness(name: "key-log", longest: 4096) { bytes in
        var keys = KeyLog()
        keys.append(bytes[...], from: "input")
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count
        demand(keys.mistakeCount + keys.sessionCount <= lines, "a line is one thing")
        demand(keys.mistakes.count <= KeyLog.mistakeLimit, "mistakes are bounded")
        demand(keys.mistakes.allSatisfy { 1...lines ~= $0.line }, "mistakes are in lines")
        let once = keys.sessionCount
        keys.append(bytes[...], from: "input")
        demand(keys.sessionCount == once, "the same again adds nothing")
    }
}

/// Secrets of the session that the corpus has, of any value.
private enum Keys {
    static let all: KeyLog = {
        // The random of RFC 8448, 3.
        let random = "cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece7"
        let digits = String(repeating: "5a", count: 32)
        let lines = [
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(random) \(digits)",
            "SERVER_HANDSHAKE_TRAFFIC_SECRET \(random) \(digits)",
            "CLIENT_TRAFFIC_SECRET_0 \(random) \(digits)",
            "SERVER_TRAFFIC_SECRET_0 \(random) \(digits)",
            "CLIENT_RANDOM \(random) \(digits + digits.prefix(32))",
        ]
        var keys = KeyLog()
        keys.append(Array(lines.joined(separator: "\n").utf8)[...], from: "keys")
        return keys
    }()
}

/// A stream and what it found.
private struct Listening {
    var stream = TLSStream()
    var events: [TLSEvent] = []

    mutating func hear(_ bytes: ArraySlice<UInt8>, _ sender: Peer, _ at: Int64, _ keys: KeyLog) {
        stream.consume(bytes, from: sender, atUnixNanoseconds: at, keys: keys, into: &events)
    }

    mutating func miss(_ count: Int64, _ sender: Peer, _ at: Int64, _ keys: KeyLog) {
        stream.lost(count, from: sender, atUnixNanoseconds: at, keys: keys, into: &events)
    }

    mutating func finish(_ at: Int64, _ keys: KeyLog) {
        stream.finish(atUnixNanoseconds: at, keys: keys, into: &events)
    }

    /// Bytes of one side that are missing, and bytes that were read or told of.
    func sums(_ sender: Peer) -> (missing: Int64, read: Int64) {
        events.reduce(into: (0, 0)) { sums, event in
            switch event {
            case .sealed(let sealed) where sealed.sender == sender:
                sums.missing += sealed.missing
                sums.read += sealed.captured
            case .plain(sender, _, let bytes): sums.read += Int64(bytes.count)
            case .hello, .sealed, .plain, .alert, .note: break
            }
        }
    }
}
