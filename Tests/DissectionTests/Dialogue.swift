import Notation
import Wire

/// What two peers say in turn, to be shown to a dissector with a part of it missing.
struct Dialogue {
    /// One message of a peer: an HTTP request or response, or a WebSocket message in its frames.
    struct Saying {
        let sender: Peer
        let bytes: [UInt8]
        /// The exchange or message that it belongs to.
        let unit: Int
    }

    /// Bytes of one sender that are missing.
    struct Hole {
        let sender: Peer
        /// Offsets in what the sender says.
        let range: Range<Int>
    }

    private(set) var sayings: [Saying] = []

    mutating func detail(_ sender: Peer, _ bytes: [UInt8], unit: Int) {
        sayings.append(Saying(sender: sender, bytes: bytes, unit: unit))
    }

    /// Number of bytes that a peer says.
    func size(_ sender: Peer) -> Int {
        sayings.reduce(0) { $0 + ($1.sender == sender ? $1.bytes.count : 0) }
    }

    /// The units that a hole takes bytes of.
    func touched(by hole: Hole) -> Set<Int> {
        var offset = 0
        var units: Set<Int> = []
        for saying in sayings where saying.sender == hole.sender {
            let range = offset..<offset + saying.bytes.count
            if range.overlaps(hole.range) { units.insert(saying.unit) }
            offset = range.upperBound
        }
        return units
    }

    /// Shows all but a hole to `stage`, each saying in pieces of at most `longest` bytes.
    ///
    /// What is missing is told once per saying, as a capture does that sees the acknowledgments.
    func play(on stage: inout Stage, without hole: Hole?, longest: Int, dice: inout SplitMix64) {
        var offsets = [0, 0]
        for saying in sayings {
            var position = 0
            let offset = offsets[saying.sender.rawValue]
            offsets[saying.sender.rawValue] += saying.bytes.count
            var missing = 0..<0
            if let hole, hole.sender == saying.sender {
                missing = hole.range.clamped(to: offset..<offset + saying.bytes.count)
            }
            while position < saying.bytes.count {
                if !missing.isEmpty, offset + position == missing.lowerBound {
                    stage.lost(saying.sender, count: Int64(missing.count), reason: .notCaptured)
                    position += missing.count
                    continue
                }
                let isBefore = !missing.isEmpty && offset + position < missing.lowerBound
                let end = isBefore ? missing.lowerBound - offset : saying.bytes.count
                let count = min(end - position, Int.random(in: 1...longest, using: &dice))
                stage.detail(saying.sender, Array(saying.bytes[position..<position + count]))
                position += count
            }
        }
    }
}

extension Dialogue {
    /// Exchanges on one connection, in batches of at most `batch` requests at a time.
    static func http(exchanges: Int, batch: Int, dice: inout SplitMix64) -> Dialogue {
        var dialogue = Dialogue()
        var number = 0
        while number < exchanges {
            let count = min(exchanges - number, Int.random(in: 1...batch, using: &dice))
            let units = number..<number + count
            let kinds = units.map { _ in Int.random(in: 0..<6, using: &dice) }
            for (unit, kind) in zip(units, kinds) {
                dialogue.detail(.client, request(unit, kind, &dice), unit: unit)
            }
            for (unit, kind) in zip(units, kinds) {
                dialogue.detail(.server, response(unit, kind, &dice), unit: unit)
            }
            number += count
        }
        return dialogue
    }

    /// Kinds: 0 and 1 GET, 2 HEAD, 3 and 4 POST, 5 DELETE without content in the response.
    private static func request(_ unit: Int, _ kind: Int, _ dice: inout SplitMix64) -> [UInt8] {
        let method = ["GET", "GET", "HEAD", "POST", "POST", "DELETE"][kind]
        let head = "\(method) /\(unit) HTTP/1.1\r\nHost: o\r\n"
        let body = text(&dice)
        return switch kind {
        case 3: Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
        case 4: Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8) + chunked(body, &dice)
        default: Array("\(head)\r\n".utf8)
        }
    }

    private static func response(_ unit: Int, _ kind: Int, _ dice: inout SplitMix64) -> [UInt8] {
        let body = text(&dice)
        return switch kind {
        case 1, 4:
            Array("HTTP/1.1 200 OK\r\nX-Unit: \(unit)\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                + chunked(body, &dice)
        case 2:
            Array("HTTP/1.1 200 OK\r\nX-Unit: \(unit)\r\nContent-Length: 700\r\n\r\n".utf8)
        case 5:
            Array("HTTP/1.1 204 No Content\r\nX-Unit: \(unit)\r\n\r\n".utf8)
        default:
            Array(
                "HTTP/1.1 200 OK\r\nX-Unit: \(unit)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
                + body
        }
    }

    /// Text in several scripts, of up to 600 bytes or so.
    static func text(_ dice: inout SplitMix64) -> [UInt8] {
        let words = ["sync", "заметка", "\r\n", "{\"a\":1}", "ノート", "x", "GET ", "HTTP/1.1"]
        let count = Int.random(in: 0..<100, using: &dice)
        return (0..<count).flatMap { _ in
            Array(words[Int.random(in: 0..<words.count, using: &dice)].utf8)
        }
    }

    private static func chunked(_ body: [UInt8], _ dice: inout SplitMix64) -> [UInt8] {
        var rest = body[...]
        var coded: [UInt8] = []
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...200, using: &dice))
            coded += Array("\(String(count, radix: 16))\r\n".utf8) + rest.prefix(count) + [13, 10]
            rest = rest.dropFirst(count)
        }
        return coded + Array("0\r\n\r\n".utf8)
    }
}
