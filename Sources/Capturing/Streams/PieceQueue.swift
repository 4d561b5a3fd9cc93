/// The pieces of one direction that wait, by place and without overlap.
struct PieceQueue: Sendable {
    /// The outcome of the bytes of a segment that was put in.
    struct Outcome: Hashable {
        /// Bytes that wait now.
        var kept = 0
        /// Bytes that waited already.
        var duplicate = 0
        /// Bytes in whose place others waited already.
        var conflicting = 0
    }

    // Taken from the front: what is before `head` is empty, and is dropped periodically.
    private var pieces: [Piece] = []
    private var head = 0
    /// What all pieces cost, in bytes.
    private(set) var cost = 0

    var isEmpty: Bool { head == pieces.count }
    var count: Int { pieces.count - head }
    var first: Piece? { head < pieces.count ? pieces[head] : nil }
    /// The place of the first piece.
    var start: Position? { head < pieces.count ? pieces[head].start : nil }
    /// The place after the last piece.
    var end: Position? { isEmpty ? nil : pieces.last?.end }

    mutating func removeFirst() -> Piece {
        let piece = pieces[head]
        cost -= piece.cost
        head += 1
        if head == pieces.count {
            pieces.removeAll()
            head = 0
        } else {
            pieces[head - 1].bytes = []
            if head >= 32, head * 2 >= pieces.count {
                pieces.removeFirst(head)
                head = 0
            }
        }
        return piece
    }

    /// Removes the first piece as far as it is before `place`, at least one byte of it.
    mutating func removeFirst(before place: Position) -> Piece {
        guard head < pieces.count, pieces[head].start < place, pieces[head].end > place else {
            return removeFirst()
        }
        let whole = removeFirst()
        var first = whole
        var rest = whole
        rest.start = place
        if whole.isAbsent {
            first.absent = place - whole.start
            rest.absent -= first.absent
        } else {
            first.bytes = Array(whole.bytes.prefix(Int(place - whole.start)))
            rest.bytes = Array(whole.bytes.dropFirst(first.bytes.count))
        }
        cost += rest.cost
        if head > 0 {
            head -= 1
            pieces[head] = rest
        } else {
            pieces.insert(rest, at: 0)
        }
        return first
    }

    /// Keeps those of the bytes for whose places none wait yet; the first copy wins.
    ///
    /// - Parameters:
    ///   - bytes: Payload; it is copied.
    ///   - template: Place, time and order of the payload.
    /// - Returns: The outcome.
    mutating func insert(_ bytes: ArraySlice<UInt8>, as template: Piece) -> Outcome {
        var outcome = Outcome()
        merge(template, count: Position(bytes.count)) { [start = template.start] range in
            let from = bytes.startIndex + Int(range.lowerBound - start)
            outcome.kept += range.count
            return .present(bytes[from..<from + range.count])
        } meets: { [start = template.start] piece, range in
            let from = bytes.startIndex + Int(range.lowerBound - start)
            let kept = Int(range.lowerBound - piece.start)
            for index in 0..<range.count {
                if bytes[from + index] == piece.bytes[kept + index] {
                    outcome.duplicate += 1
                } else {
                    outcome.conflicting += 1
                }
            }
        }
        return outcome
    }

    /// Keeps the knowledge that bytes were cut off, for the places for which none wait.
    mutating func insertAbsent(_ template: Piece) {
        merge(template, count: template.absent) {
            .absent(Position($0.count))
        } meets: { _, _ in
        }
    }

    private enum Content {
        case present(ArraySlice<UInt8>)
        case absent(Position)
    }

    /// Puts pieces like `template` into every gap of the range that begins with it.
    ///
    /// Bytes that are there take the place of those that were cut off.
    private mutating func merge(
        _ template: Piece, count: Position, fills: (Range<Position>) -> Content,
        meets: (Piece, Range<Position>) -> Void
    ) {
        let end = template.start + count
        guard end > template.start else { return }
        let first = firstIndex(endingAfter: template.start)
        var last = first
        var merged: [Piece] = []
        func fill(_ range: Range<Position>) {
            guard !range.isEmpty else { return }
            var piece = template
            piece.start = range.lowerBound
            piece.absent = 0
            switch fills(range) {
            case .present(let bytes): piece.bytes = Array(bytes)
            case .absent(let count): piece.absent = count
            }
            merged.append(piece)
        }
        func keep(_ piece: Piece, _ range: Range<Position>) {
            guard !range.isEmpty else { return }
            var part = piece
            part.start = range.lowerBound
            part.absent = Position(range.count)
            merged.append(part)
        }
        var place = template.start
        while last < pieces.count, pieces[last].start < end {
            let piece = pieces[last]
            let overlap = max(piece.start, place)..<min(piece.end, end)
            if piece.isAbsent {
                // What was cut off is filled like a gap, as far as this reaches.
                keep(piece, piece.start..<max(piece.start, overlap.lowerBound))
                fill(place..<overlap.upperBound)
                keep(piece, overlap.upperBound..<piece.end)
            } else {
                fill(place..<overlap.lowerBound)
                meets(piece, overlap)
                merged.append(piece)
            }
            place = overlap.upperBound
            last += 1
        }
        fill(place..<end)
        cost -= pieces[first..<last].reduce(0) { $0 + $1.cost }
        cost += merged.reduce(0) { $0 + $1.cost }
        pieces.replaceSubrange(first..<last, with: merged)
    }

    /// Index of the first piece that ends behind `place`.
    private func firstIndex(endingAfter place: Position) -> Int {
        // Nearly all are appended at the end.
        guard let last = pieces.last, last.end > place else { return pieces.count }
        var low = head
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].end > place { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
