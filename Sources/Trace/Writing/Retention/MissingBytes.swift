internal import Wire

/// The records that could not be written: bytes as counts, everything else as it was.
///
/// Bounded: chunks become one gap for each leg and direction, and beyond the bound other records
/// are only counted.
struct MissingBytes {
    private struct Stream: Hashable {
        var leg: LegID
        var sender: Peer
    }

    /// Gaps that grow, by connection.
    private var growing: [ConnectionID: [Stream: GapRow]] = [:]
    /// The records to be written, in order.
    private var held: [Record] = []
    /// Bytes of memory that `held` takes.
    private var cost = 0
    /// Chunks for which no separate gap could be kept.
    private var others: GapRow?
    /// Records that are not chunks and could not be kept.
    private(set) var dropped: Int64 = 0

    /// Packets that were to be kept as they were captured.
    private(set) var packets: Int64 = 0

    /// The maximum bytes of memory for what is kept.
    private static let limit = 8 << 20

    /// Why they are missing.
    var reason = GapRow.Reason.diskFull

    /// Whether nothing happened.
    var isEmpty: Bool {
        growing.isEmpty && held.isEmpty && others == nil && dropped == 0 && packets == 0
    }

    /// Records one record.
    mutating func take(_ record: Record) {
        switch record {
        case .chunk(let chunk): count(chunk)
        case .event(let event): hold(record, after: event.connection)
        case .leg(let leg): hold(record, after: leg.connection)
        case .connection, .gap, .mark, .fault, .finding, .secret: hold(record, after: nil)
        // The bytes of connections matter more.
        case .packet: packets += 1
        }
    }

    /// Returns everything in the order in which it is to be written and removes it.
    ///
    /// `now` is the time of the warning about events that could not be kept.
    mutating func drain(at now: Instant) -> [Record] {
        for connection in growing.keys.sorted() { settle(connection) }
        var records = held
        if let others { records.append(.gap(others)) }
        if dropped > 0 {
            records.append(
                .event(
                    EventRow(
                        .warning, at: now,
                        detail:
                            "\(dropped) events could not be written and are missing"
                    )))
        }
        if packets > 0 {
            records.append(
                .event(
                    EventRow(
                        .warning, at: now,
                        detail:
                            "\(packets) packets could not be written and are not kept"
                    )))
        }
        self = MissingBytes()
        return records
    }

    private mutating func count(_ chunk: Chunk) {
        let stream = Stream(leg: chunk.leg, sender: chunk.sender)
        let row = GapRow(
            connection: chunk.connection, leg: chunk.leg, sender: chunk.sender, at: chunk.at,
            until: chunk.at, count: Int64(chunk.bytes.count), chunks: 1, reason: reason)
        if let old = growing[chunk.connection]?[stream] {
            growing[chunk.connection]?[stream] = Self.join(old, row)
        } else if cost < Self.limit {
            growing[chunk.connection, default: [:]][stream] = row
            cost += 256
        } else {
            var row = row
            row.connection = nil
            row.leg = nil
            row.sender = nil
            others = others.map { Self.join($0, row) } ?? row
        }
    }

    private mutating func hold(_ record: Record, after connection: ConnectionID?) {
        guard cost < Self.limit else {
            dropped += 1
            return
        }
        // Bytes received before an event are missing before it.
        if let connection { settle(connection) }
        cost += record.cost
        held.append(record)
    }

    /// Makes the gaps of one connection final.
    private mutating func settle(_ connection: ConnectionID) {
        guard let streams = growing.removeValue(forKey: connection) else { return }
        let rows = streams.values.sorted {
            ($0.at, $0.leg?.rawValue ?? 0, $0.sender?.rawValue ?? 0)
                < ($1.at, $1.leg?.rawValue ?? 0, $1.sender?.rawValue ?? 0)
        }
        for row in rows { held.append(.gap(row)) }
    }

    private static func join(_ a: GapRow, _ b: GapRow) -> GapRow {
        var joined = a
        joined.until = max(a.until, b.until)
        joined.count += b.count
        joined.chunks += b.chunks
        return joined
    }
}

extension GapRow {
    /// An unknown number of bytes that are missing from `at` on.
    static func unknown(_ reason: Reason, at: Instant) -> Self {
        Self(
            connection: nil, leg: nil, sender: nil, at: at, until: at, count: 0, chunks: 0,
            reason: reason)
    }
}
