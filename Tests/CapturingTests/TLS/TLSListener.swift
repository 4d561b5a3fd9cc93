import Wire

@testable import Capturing

/// Gives records to a stream, the number of each as its time, and keeps what is found.
struct TLSListener {
    var stream = TLSStream()
    var keys: KeyLog
    var events: [TLSEvent] = []
    /// Time of the next record.
    var time: Int64 = 0
    /// The largest pieces that records are cut into; nil where they are not.
    var piece: Int?

    init(_ keys: KeyLog, piece: Int? = nil) {
        self.keys = keys
        self.piece = piece
    }

    /// What a whole session gives.
    static func events(
        _ vector: TLSVector, _ keys: KeyLog? = nil, piece: Int? = nil
    ) -> [TLSEvent] {
        var listener = TLSListener(keys ?? vector.keys, piece: piece)
        for record in vector.records { listener.hear(record.bytes, from: record.sender) }
        return listener.finish()
    }

    /// Gives bytes at the next time.
    mutating func hear(_ bytes: [UInt8], from sender: Peer) {
        time += 1
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(piece ?? rest.count, rest.count)
            stream.consume(
                rest.prefix(count), from: sender, atUnixNanoseconds: time, keys: keys,
                into: &events)
            rest = rest.dropFirst(count)
        }
    }

    /// Leaves out bytes at the next time.
    mutating func miss(_ count: Int, from sender: Peer) {
        time += 1
        stream.lost(
            Int64(count), from: sender, atUnixNanoseconds: time, keys: keys, into: &events)
    }

    /// All that was found.
    mutating func finish() -> [TLSEvent] {
        stream.finish(atUnixNanoseconds: time + 1, keys: keys, into: &events)
        return events
    }
}

extension [TLSEvent] {
    /// All application data of one side.
    func plain(_ sender: Peer) -> [UInt8] {
        flatMap { event -> [UInt8] in
            if case .plain(sender, _, let bytes) = event { bytes } else { [] }
        }
    }

    /// Application data by the time of its record.
    var plainByTime: [Int64: [UInt8]] {
        reduce(into: [:]) { found, event in
            if case .plain(_, let at, let bytes) = event { found[at, default: []] += bytes }
        }
    }

    var sealed: [TLSSealed] {
        compactMap { if case .sealed(let sealed) = $0 { sealed } else { nil } }
    }

    var facts: [TLSFacts] {
        compactMap { if case .hello(let facts, _) = $0 { facts } else { nil } }
    }

    var alerts: [TLSAlert] {
        compactMap { if case .alert(let alert) = $0 { alert } else { nil } }
    }

    var notes: [String] {
        compactMap { if case .note(_, _, let detail) = $0 { detail } else { nil } }
    }
}
