import Wire

/// Finds the chunk that holds a byte of a stream.
///
/// Decoders count bytes from the start of a direction; the trace points at chunks. Entries before
/// the message under way are dropped, so that the map stays small on connections that live long.
struct PlaceMap {
    private struct Entry {
        let start: Int64
        let place: Place
        let at: Instant
    }

    private var entries: [Entry] = []
    private var first = 0

    /// Notes that the bytes from offset `start` of the stream on are those from `place` on.
    mutating func append(start: Int64, place: Place, at: Instant) {
        entries.append(Entry(start: start, place: place, at: at))
    }

    /// The chunk and time of the byte at `offset`; nil where no chunk was seen yet.
    func locate(_ offset: Int64) -> (place: Place, at: Instant)? {
        var index = entries.count - 1
        while index > first, entries[index].start > offset { index -= 1 }
        guard index >= first, index < entries.count else { return nil }
        let entry = entries[index]
        let distance = Int(max(0, offset - entry.start))
        return (
            Place(chunk: entry.place.chunk, offset: entry.place.offset + distance), entry.at
        )
    }

    /// Forgets chunks that end at or before `offset`.
    mutating func forget(before offset: Int64) {
        while first + 1 < entries.count, entries[first + 1].start <= offset { first += 1 }
        if first > 64, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }
}
