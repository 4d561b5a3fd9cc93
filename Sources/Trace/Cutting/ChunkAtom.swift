import Wire

/// Bytes of a chunk with the same way: some that it has, or what a patch inserts.
struct ChunkAtom {
    /// Offset in the chunk of the first of them; of inserted ones that of what they replace.
    var offset: Int
    /// The bytes.
    var bytes: [UInt8]
    /// Whether a patch inserts them.
    var isInserted: Bool
    /// Index of the patch that removes or inserts them.
    var patch: Int?
    /// Index of their delivery.
    var delivery: Int?
    /// Index of the first of them in what each peer had; nil where it did not have them.
    var starts: [Int?] = [nil, nil]

    /// Whether no peer had them.
    var isUnseen: Bool { starts.allSatisfy { $0 == nil } }

    /// The part of it at `range` of ``bytes``.
    func part(_ range: Range<Int>) -> Self {
        var part = self
        part.bytes = Array(bytes[range])
        if !isInserted { part.offset += range.lowerBound }
        part.starts = starts.map { $0.map { $0 + range.lowerBound } }
        return part
    }

    /// Where it is in what `peer` had.
    func range(hadBy peer: Peer) -> Range<Int>? {
        starts[peer.rawValue].map { $0..<$0 + bytes.count }
    }

    // MARK: Making

    /// All of a chunk, in order; what a patch inserts is behind what it removes.
    ///
    /// What a peer had of them is its `ChunkView`.
    static func all(of chunk: Chunk) -> [ChunkAtom] {
        let patches = fitting(chunk)
        var bounds: Set<Int> = [0, chunk.bytes.count]
        for (_, patch) in patches {
            bounds.formUnion([patch.offset, patch.offset + patch.removed])
        }
        for delivery in chunk.deliveries where delivery.count > 0 {
            let end = delivery.offset.addingReportingOverflow(delivery.count)
            bounds.formUnion([delivery.offset, end.overflow ? .max : end.partialValue])
        }
        let ends = bounds.filter { (0...chunk.bytes.count).contains($0) }.sorted()
        var atoms: [ChunkAtom] = []
        var rest = patches[...]
        for (start, end) in zip(ends, ends.dropFirst() + [chunk.bytes.count]) {
            while let (index, patch) = rest.first, patch.offset + patch.removed <= start {
                if !patch.inserted.isEmpty { atoms.append(inserted(index, patch, chunk)) }
                rest = rest.dropFirst()
            }
            guard start < end else { continue }
            atoms.append(
                ChunkAtom(
                    offset: start, bytes: Array(chunk.bytes[start..<end]), isInserted: false,
                    patch: rest.first.flatMap { $0.patch.offset <= start ? $0.index : nil },
                    delivery: chunk.deliveries.firstIndex {
                        $0.offset <= start && end - $0.offset <= $0.count
                    }))
        }
        number(&atoms, chunk)
        return atoms
    }

    /// The patches of a chunk that are applied.
    private static func fitting(_ chunk: Chunk) -> [(index: Int, patch: Patch)] {
        var position = 0
        return chunk.patches.enumerated().compactMap { index, patch in
            guard patch.offset >= position, patch.removed >= 0,
                patch.offset <= chunk.bytes.count - patch.removed
            else { return nil }
            position = patch.offset + patch.removed
            return (index, patch)
        }
    }

    private static func inserted(_ index: Int, _ patch: Patch, _ chunk: Chunk) -> ChunkAtom {
        ChunkAtom(
            offset: patch.offset, bytes: patch.inserted, isInserted: true, patch: index,
            delivery: chunk.deliveries.firstIndex {
                patch.offset >= $0.offset
                    && (patch.offset - $0.offset < $0.count
                        || patch.offset == chunk.bytes.count
                            && patch.offset - $0.offset == $0.count)
            })
    }

    private static func number(_ atoms: inout [ChunkAtom], _ chunk: Chunk) {
        var ends = [0, 0]
        for index in atoms.indices {
            let atom = atoms[index]
            let isRewrite = atom.patch.map { chunk.patches[$0].reason.isRewrite } ?? false
            let isLost = atom.delivery.map { chunk.deliveries[$0].at == nil } ?? false
            let isHad = [
                chunk.origin == .peer && atom.isInserted == isRewrite,
                (atom.isInserted || atom.patch == nil) && !isLost,
            ]
            for (peer, isHad) in zip([chunk.sender, chunk.sender.other], isHad) where isHad {
                atoms[index].starts[peer.rawValue] = ends[peer.rawValue]
                ends[peer.rawValue] += atom.bytes.count
            }
        }
    }
}
