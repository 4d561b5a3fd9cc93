package import Wire

/// Where the bytes of a chunk are after ``ChunkEdits``.
package struct ChunkMoves: Sendable {
    /// What the chunk had at these offsets, ascending, is at those.
    private var moves: [(old: Range<Int>, new: Range<Int>)] = []
    private var end = 0

    /// What was at `old` is at `new`, behind all before.
    mutating func append(_ old: Range<Int>, _ new: Range<Int>) {
        end = new.upperBound
        guard !old.isEmpty else { return }
        // Neighbours that moved alike are kept as one.
        if let last = moves.last, last.old.upperBound == old.lowerBound,
            last.new.upperBound == new.lowerBound, last.old.count == last.new.count,
            old.count == new.count
        {
            moves[moves.count - 1] = (
                last.old.lowerBound..<old.upperBound, last.new.lowerBound..<new.upperBound
            )
        } else {
            moves.append((old, new))
        }
    }

    /// Whether every byte is where it was.
    package var isEmpty: Bool {
        moves.allSatisfy { $0.old == $0.new }
    }

    /// The offset of what was at `offset` of the chunk, or where that was taken out.
    package func nearest(to offset: Int) -> Int {
        guard let move = moves.first(where: { $0.old.contains(offset) }) else { return end }
        let moved = move.new.lowerBound + offset - move.old.lowerBound
        return max(move.new.lowerBound, min(moved, move.new.upperBound - 1))
    }

    /// The offset of what was at `offset` of the chunk; nil where it was taken out.
    package func offset(of offset: Int) -> Int? {
        let isOut = moves.contains { $0.old.contains(offset) && $0.new.isEmpty }
        return isOut ? nil : nearest(to: offset)
    }
}

/// A chunk after ``ChunkEdits``.
package struct EditedChunk {
    /// The chunk; without bytes where none is left.
    package let chunk: Chunk
    /// Where its bytes are.
    package let moves: ChunkMoves

    /// Whether nothing of it is left.
    package var isEmpty: Bool { chunk.bytes.isEmpty && chunk.patches.isEmpty }
}

/// The chunk that is being written.
struct ChunkWriting {
    private let original: Chunk
    private var bytes: [UInt8] = []
    private var patches: [Patch] = []
    private var places: [Int: Int] = [:]
    private var deliveries: [Delivery] = []
    private var lastDelivery: Int?
    private var moves = ChunkMoves()

    /// Nothing yet of a chunk that is made from `chunk`.
    init(_ chunk: Chunk) { original = chunk }

    /// Appends bytes that keep their way, in the place of those at `old`.
    mutating func add(_ atom: ChunkAtom, inPlaceOf old: Range<Int>? = nil) {
        if let index = atom.patch {
            let place = places[index] ?? patches.count
            if places[index] == nil {
                places[index] = place
                patches.append(
                    Patch(
                        offset: bytes.count, removed: 0, inserted: [],
                        reason: original.patches[index].reason))
            }
            if atom.isInserted {
                patches[place].inserted += atom.bytes
            } else {
                patches[place].removed += atom.bytes.count
            }
        }
        guard !atom.isInserted else { return }
        let old = old ?? atom.offset..<atom.offset + atom.bytes.count
        append(atom.bytes, old, atom.delivery)
    }

    /// Appends one piece in the place of `atoms`, which have the bytes at `old`.
    ///
    /// - Parameters:
    ///   - sent: What the sender had; nil where the chunk has no sender.
    ///   - received: What the receiver had.
    ///   - old: Offsets of the atoms.
    ///   - atoms: What is replaced.
    mutating func add(
        sent: [UInt8]?, received: [UInt8], _ old: Range<Int>, _ atoms: [ChunkAtom]
    ) {
        let delivered = atoms.filter { $0.starts[original.sender.other.rawValue] != nil }
        let isLost =
            delivered.isEmpty
            && atoms.contains { atom in
                atom.delivery.map { original.deliveries[$0].at == nil } ?? false
            }
        let bytes = sent ?? received
        if !isLost, bytes != received {
            let reasons = atoms.compactMap(\.patch).map { original.patches[$0].reason }
            let reason = reasons.first { !$0.isRewrite } ?? .fault
            let patch = Patch(
                offset: 0, removed: bytes.count, inserted: received, reason: reason
            ).trimmed(in: bytes[...])
            if let patch { patches.append(placed(patch, in: bytes)) }
        }
        append(bytes, old, isLost ? atoms.compactMap(\.delivery).first : delivered.first?.delivery)
    }

    /// A patch of `piece`, which is appended next, as one of the chunk.
    ///
    /// What is inserted at the very end takes a byte before it along, so that its delivery is not that
    /// of what follows.
    private func placed(_ patch: Patch, in piece: [UInt8]) -> Patch {
        var patch = patch
        if patch.offset == piece.count, let last = piece.last {
            patch.offset -= 1
            patch.removed = 1
            patch.inserted.insert(last, at: 0)
        }
        patch.offset += bytes.count
        return patch
    }

    private mutating func append(_ new: [UInt8], _ old: Range<Int>, _ delivery: Int?) {
        moves.append(old, bytes.count..<bytes.count + new.count)
        if let delivery, !new.isEmpty {
            if delivery == lastDelivery, let last = deliveries.last,
                last.offset + last.count == bytes.count
            {
                deliveries[deliveries.count - 1].count += new.count
            } else {
                deliveries.append(
                    Delivery(
                        offset: bytes.count, count: new.count,
                        at: original.deliveries[delivery].at))
            }
            lastDelivery = delivery
        }
        bytes += new
    }

    /// The chunk with what was appended.
    func outcome() -> EditedChunk {
        var chunk = original
        chunk.bytes = bytes
        chunk.patches = patches.filter { $0.removed > 0 || !$0.inserted.isEmpty }
        chunk.deliveries = deliveries
        return EditedChunk(chunk: chunk, moves: moves)
    }
}
