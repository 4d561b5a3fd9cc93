import Wire

/// Finds the chunk that holds a byte of a stream.
///
/// Decoders count bytes from the start of a direction; the trace points at chunks. What no event to
/// come can refer to is dropped after each chunk, so that the map is as small in the middle of long
/// content as between messages.
struct PlaceMap {
    /// Where the bytes of a part of the stream are.
    struct Entry {
        fileprivate let start: Int64
        fileprivate let place: Place
        fileprivate var at: Instant
        /// Whether all its bytes are at that place.
        fileprivate let isInserted: Bool
    }

    /// Ascending by where they start; those before `first` are dropped.
    private var entries: [Entry] = []
    private var first = 0

    /// A map that keeps nothing but `last`, where something was noted at all.
    init(last: Entry? = nil) {
        if let last { entries = [last] }
    }

    /// Number of chunks that are kept.
    var count: Int { entries.count - first }

    /// What was noted last.
    var last: Entry? { entries.last }

    /// Notes that the bytes from offset `start` of the stream on are those of `piece`.
    ///
    /// Offsets do not descend from call to call.
    mutating func append(_ piece: Piece, start: Int64) {
        piece.forEachSegment { index, offset, isInserted in
            entries.append(
                Entry(
                    start: start + Int64(index), place: Place(chunk: piece.chunk, offset: offset),
                    at: piece.at, isInserted: isInserted))
        }
    }

    /// The chunk and time of the byte at `offset`; nil where no chunk was seen yet.
    ///
    /// A byte that was dropped is taken for one of the first chunk that is kept.
    func locate(_ offset: Int64) -> (place: Place, at: Instant)? {
        guard count > 0 else { return nil }
        // The first entry that starts after the byte; nearly always there is none.
        var (low, high) = (first + 1, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].start > offset { high = middle } else { low = middle + 1 }
        }
        let entry = entries[low - 1]
        let distance = entry.isInserted ? 0 : Int(max(0, offset - entry.start))
        return (
            Place(chunk: entry.place.chunk, offset: entry.place.offset + distance), entry.at
        )
    }

    /// Has the bytes of some chunks at other times.
    mutating func retime(_ times: [ChunkID: Instant]) {
        for index in entries.indices {
            if let at = times[entries[index].place.chunk] { entries[index].at = at }
        }
    }

    /// Drops chunks that end at or before `offset`, apart from the last.
    mutating func forget(before offset: Int64) {
        while first + 1 < entries.count, entries[first + 1].start <= offset { first += 1 }
        if first > 64, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }
}
