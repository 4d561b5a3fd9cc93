import Dissection
import Wire

/// The same conversation in other cuts: what peers sent, read in other pieces.
///
/// Moments and chunks are others then, so both are taken out before rows are compared.
struct Recut {
    /// Where the bytes of a chunk stand in all that its sender sent on the connection.
    private var starts: [ChunkID: Place] = [:]
    private var dissector = Dissector()
    private var rows: [DerivedRow] = []
    private var ends: [Int64: Int] = [:]
    private var chunks: Int64 = 0

    /// The rows of records, comparable to those of other cuts.
    static func rows(_ records: [Record], keepsRows: Bool) -> FinalRows {
        var recut = Recut()
        var final = FinalRows(keepsRows: keepsRows)
        let isSided = records.contains {
            if case .chunk(let chunk) = $0 { chunk.differs } else { false }
        }
        if isSided {
            for record in records { recut.take(record) }
            recut.dissector.flush(into: &recut.rows)
            let numbers = SidedNumbers(recut.rows)
            for row in recut.rows { if let row = recut.placed(row) { final.take(numbers(row)) } }
            final.sort()
            return final
        }
        for record in records {
            recut.take(record)
            recut.give(&final)
        }
        recut.dissector.flush(into: &recut.rows)
        recut.give(&final)
        return final
    }

    private mutating func give(_ final: inout FinalRows) {
        for row in rows { if let row = placed(row) { final.take(row) } }
        rows.removeAll(keepingCapacity: true)
    }

    /// Records with chunks that are cut at other places.
    static func cut(_ records: [Record], _ chance: inout Chance) -> [Record] {
        var result: [Record] = []
        for record in records {
            guard case .chunk(let chunk) = record, chunk.patches.isEmpty,
                chunk.deliveries.isEmpty
            else {
                result.append(record)
                continue
            }
            if chance.percent(50), case .chunk(var last)? = result.last,
                last.leg == chunk.leg, last.sender == chunk.sender, last.origin == chunk.origin,
                last.patches.isEmpty, last.deliveries.isEmpty
            {
                last.bytes += chunk.bytes
                result[result.count - 1] = .chunk(last)
                continue
            }
            var rest = chunk
            while rest.bytes.count > 1, chance.percent(30) {
                let count = 1 + chance.below(rest.bytes.count - 1)
                var piece = rest
                piece.bytes = Array(rest.bytes[..<count])
                rest.bytes.removeFirst(count)
                result.append(.chunk(piece))
            }
            result.append(.chunk(rest))
        }
        return result
    }

    private mutating func take(_ record: Record) {
        switch record {
        case .chunk(var chunk):
            chunks += 1
            let lane = chunk.connection.rawValue * 2 + Int64(chunk.sender.rawValue)
            let start = ends[lane, default: 0]
            starts[ChunkID(chunks)] = Place(chunk: ChunkID(lane), offset: start)
            ends[lane] = start + chunk.bytes.count
            chunk.at = .zero
            for index in chunk.deliveries.indices where chunk.deliveries[index].at != nil {
                chunk.deliveries[index].at = .zero
            }
            dissector.consume(.chunk(chunk), chunk: ChunkID(chunks), into: &rows)
        case .event(var event):
            event.at = .zero
            dissector.consume(.event(event), chunk: nil, into: &rows)
        default:
            dissector.consume(record, chunk: nil, into: &rows)
        }
    }

    private func placed(_ place: Place) -> Place {
        guard let start = starts[place.chunk] else { return place }
        return Place(chunk: start.chunk, offset: start.offset + place.offset)
    }

    /// The row with places in what the sender sent; nil for rows that depend on the cuts.
    private func placed(_ row: DerivedRow) -> DerivedRow? {
        switch row {
        case .exchange(var row):
            row.requestPlace = placed(row.requestPlace)
            row.responsePlace = row.responsePlace.map(placed)
            return .exchange(row)
        case .body(var row):
            // Content is kept twice where it lies in several chunks.
            (row.head, row.content) = ([], [])
            (row.headPlace, row.contentParts) = (nil, [])
            return .body(row)
        case .frame(var row):
            row.place = placed(row.place)
            return .frame(row)
        case .message(var row):
            row.place = placed(row.place)
            return .message(row)
        case .note(var row):
            // Some notes are about a whole read.
            row.place = Place(chunk: ChunkID(0), offset: 0)
            return .note(row)
        case .part, .openRosa, .caseBlock, .command, .change:
            return row
        }
    }
}
