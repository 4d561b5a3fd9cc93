/// Where the rows of a fleet have the values of a field.
indirect enum ClickHouseSource {
    /// Nowhere: the subject does not have the field.
    case absent
    /// In an expression over the row.
    case column(String)
    /// In an expression over the row, NULL where there is none.
    case optional(String)
    /// In an expression over the row that has bytes, which are text where `isText` is 1; NULL where
    /// there is none.
    case bytes(String, isText: String)
    /// In an array beside one of names, where the name is this in lower case; several are joined by a
    /// comma and a blank.
    case named(String, names: String, values: String)
    /// In these where the condition holds.
    case present(String, ClickHouseSource)
    /// In rows of another table, `select` of which are the `key` of the judged row.
    case listed(key: String, select: String, from: String, ClickHouseSource)
    /// In all of these.
    case several([ClickHouseSource])
    /// In folded words, each between two blanks.
    case words(String)
}

/// The wall clock of the reader: by how much it was ahead of UTC, and from when on.
public struct ClockOffsets: Hashable, Sendable {
    /// A time from which on the clock was ahead by so much.
    public struct Piece: Hashable, Sendable {
        /// Seconds since 1970 in UTC.
        public var from: Int64
        /// Seconds ahead of UTC.
        public var ahead: Int64

        /// Ahead by `ahead` seconds since `from`.
        public init(from: Int64, ahead: Int64) {
            self.from = from
            self.ahead = ahead
        }
    }

    /// The pieces, in ascending order; the first holds for all time before as well.
    public var pieces: [Piece]

    /// The clock with these pieces; UTC without any.
    public init(_ pieces: [Piece] = []) {
        var kept: [Piece] = []
        for piece in pieces where kept.last?.ahead != piece.ahead { kept.append(piece) }
        self.pieces = kept.isEmpty ? [Piece(from: 0, ahead: 0)] : kept
    }

    private static let second: Int64 = 1_000_000_000

    /// The times in UTC, in nanoseconds since 1970, at which this clock showed one of `local`.
    func utc(of local: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        var found: [ClosedRange<Int64>] = []
        for (index, piece) in pieces.enumerated() {
            let ahead = piece.ahead * Self.second
            let first = index == 0 ? Int64.min : piece.from * Self.second
            let last =
                index + 1 < pieces.count ? pieces[index + 1].from * Self.second - 1 : Int64.max
            func shifted(_ bound: Int64) -> Int64 {
                if bound == .min || bound == .max { return bound }
                let (value, isFar) = bound.subtractingReportingOverflow(ahead)
                return isFar ? (ahead > 0 ? .min : .max) : value
            }
            let low = max(first, shifted(local.lowerBound))
            let high = min(last, shifted(local.upperBound))
            guard low <= high else { continue }
            if let end = found.last?.upperBound, end != .max, end + 1 == low {
                found[found.count - 1] = found[found.count - 1].lowerBound...high
            } else {
                found.append(low...high)
            }
        }
        return found
    }

    /// SQL for the seconds that the clock is ahead at `second`, an expression.
    func ahead(at second: String) -> String {
        guard pieces.count > 1 else { return String(pieces[0].ahead) }
        let starts = pieces.dropFirst().map { String($0.from) }.joined(separator: ",")
        let offsets = pieces.map { String($0.ahead) }.joined(separator: ",")
        return "arrayElement([\(offsets)], arrayCount(t -> t <= \(second), [\(starts)]) + 1)"
    }
}
