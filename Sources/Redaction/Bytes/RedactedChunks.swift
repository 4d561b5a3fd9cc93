internal import Storage
internal import Trace
internal import Wire

/// Writes the chunks of one connection with the edits made in what each peer had of them.
///
/// Where an edit has as many bytes as what it replaces, a chunk stays what it was: its bytes and
/// what its patches insert are changed in place. Where it has not, the chunk gets what the sender has
/// there now, a patch what the receiver has where that is something else, and what was stated about
/// places in it moves along.
struct RedactedChunks {
    private let sides: [SideBytes]
    private let edits: StreamEdits
    private let walk: SecretWalk
    private let isSocket: Bool

    /// The chunks of a connection.
    ///
    /// - Parameters:
    ///   - sides: What each peer had; the client's alone where both had the same.
    ///   - edits: What is changed.
    ///   - walk: What to do with bytes that no peer had.
    ///   - isSocket: Whether WebSocket messages are among them.
    init(_ sides: [SideBytes], _ edits: StreamEdits, by walk: SecretWalk, isSocket: Bool) {
        self.sides = sides
        self.edits = edits
        self.walk = walk
        self.isSocket = isSocket
    }

    /// Writes them.
    ///
    /// - Returns: For each chunk in which places moved, how.
    func write(to db: Connection) throws -> [Int64: ChunkMoves] {
        let writer = try EditedChunkWriter(db)
        var moves: [Int64: ChunkMoves] = [:]
        guard let first = sides.first else { return [:] }
        for index in first.pieces.indices {
            let number = first.pieces[index].chunk
            let found = try sides.map {
                try edits.touching($0.peer, $0.pieces[index].stream, $0.pieces[index].range)
            }
            if found.allSatisfy(\.isEmpty), first.pieces[index].isPlain {
                try writer.copy(number)
                continue
            }
            guard let chunk = try first.chunk(number) else { continue }
            var changing = ChunkEdits(of: chunk)
            for (side, list) in zip(sides, found) {
                let range = side.pieces[index].range
                for edit in list {
                    let part = edit.range.clamped(to: range)
                    let start = part.lowerBound - range.lowerBound
                    for peer in sides.count == 1 ? [Peer.client, .server] : [side.peer] {
                        changing.replace(
                            start..<start + part.count, with: Array(edit.share(of: part)),
                            hadBy: peer)
                    }
                }
            }
            changing.changeUnseen { bytes, reason in
                walk.unseen(&bytes, reason: reason, isSocket: isSocket)
            }
            let changed = changing.outcome()
            try writer.write(changed.chunk, as: number)
            if !changed.moves.isEmpty { moves[number] = changed.moves }
        }
        return moves
    }
}
