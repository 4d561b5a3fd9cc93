import Serving

/// The body of a restore that is written in parts, compressed on request.
struct RestoreBody: Sendable {
    /// How many bytes are compressed at once; larger pieces take longer, smaller ones more room.
    private static let piece = 64 << 10

    private let isCompressed: Bool
    private var pieces: [[UInt8]] = []
    private var current: [UInt8] = []
    /// Bytes of ``current`` that are in ``pieces``.
    private var settled = 0
    private var coding = Gzip.Pieces()
    /// Bytes of all that is there.
    private(set) var size = 0
    private var nextPiece = 0
    private var joined: [UInt8] = []

    /// A body without anything.
    init(isCompressed: Bool) { self.isCompressed = isCompressed }

    /// Whether there is so much that it has to be settled before more is written.
    var isFull: Bool { current.count - settled >= Self.piece }

    /// Writes a text; `budget` goes down by one for each KiB.
    mutating func append(_ text: String, _ budget: inout Int) {
        current.append(contentsOf: text.utf8)
        budget -= text.utf8.count >> 10
    }

    /// Puts a piece of what was written where it stays.
    mutating func settle(_ budget: inout Int) {
        let piece = Array(current[settled..<min(settled + Self.piece, current.count)])
        settled += piece.count
        // Not for each piece of a long text.
        if !isFull {
            current.removeFirst(settled)
            settled = 0
        }
        guard isCompressed else { return keep(piece) }
        keep(coding.encode(piece))
        budget -= piece.count >> 9
    }

    /// Ends what is written and settled but for a last piece.
    mutating func finish(_ budget: inout Int) {
        settle(&budget)
        if isCompressed { keep(coding.finish()) }
        joined.reserveCapacity(size)
    }

    /// Joins what was written, a few pieces at a time.
    ///
    /// - Returns: Whether all of it is joined.
    mutating func join(_ budget: inout Int) -> Bool {
        while budget > 0, nextPiece < pieces.count {
            joined += pieces[nextPiece]
            pieces[nextPiece] = []
            nextPiece += 1
            budget -= 64
        }
        return nextPiece == pieces.count
    }

    /// What is joined; nothing is left.
    mutating func take() -> [UInt8] {
        defer { self = RestoreBody(isCompressed: isCompressed) }
        return joined
    }

    private mutating func keep(_ piece: [UInt8]) {
        size += piece.count
        pieces.append(piece)
    }
}
