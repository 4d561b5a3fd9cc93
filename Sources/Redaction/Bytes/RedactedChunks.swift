internal import Storage
internal import Trace
internal import Wire

/// Writes the chunks of one connection with the edits made in them.
///
/// Where an edit has as many bytes as what it replaces, a chunk stays what it was: its bytes and
/// its patches are changed in place. Where it has not, the chunk becomes what the receiver got of
/// it, and what was stated about places in it moves along.
struct RedactedChunks {
    /// How places of a chunk move: ascending parts of it and how many bytes each became.
    typealias Shift = [(part: Range<Int>, count: Int)]

    private let bytes: ConnectionBytes
    private let edits: StreamEdits
    private let walk: SecretWalk
    private let isSocket: Bool

    /// The chunks of `bytes`; `isSocket` is whether WebSocket messages are among them.
    init(_ bytes: ConnectionBytes, _ edits: StreamEdits, by walk: SecretWalk, isSocket: Bool) {
        self.bytes = bytes
        self.edits = edits
        self.walk = walk
        self.isSocket = isSocket
    }

    /// Writes them.
    ///
    /// - Returns: For each chunk in which places moved, how.
    func write(to db: Connection) throws -> [Int64: Shift] {
        let copy = try db.prepare("INSERT INTO chunk SELECT * FROM source.chunk WHERE id = ?")
        let insertion = try db.prepare(
            """
            INSERT INTO chunk SELECT id, connection_id, leg_id, sender, origin, at_ns, ?2
            FROM source.chunk WHERE id = ?1
            """)
        let patch = try db.prepare(TableDefinition.patch.insertion)
        var shifts: [Int64: Shift] = [:]
        for piece in bytes.pieces {
            let found = try edits.touching(piece.stream, piece.range)
            if found.isEmpty, !piece.hasPatches {
                copy.bind(1, piece.chunk)
                try copy.run()
                continue
            }
            var received = try bytes.read(piece.stream, piece.range)
            var patches: [Patch] = []
            if found.allSatisfy({ $0.bytes.count == $0.range.count }) {
                for edit in found {
                    let part = edit.range.clamped(to: piece.range)
                    let place = part.lowerBound - piece.range.lowerBound
                    received.replaceSubrange(place..<place + part.count, with: edit.share(of: part))
                }
                if piece.hasPatches { patches = try undo(&received, piece.chunk) }
            } else {
                shifts[piece.chunk] = splice(&received, found, piece.range)
            }
            insertion.bind(1, piece.chunk)
            insertion.bind(2, copying: received, asText: false)
            try insertion.run()
            for (index, item) in patches.enumerated() {
                patch.bind(1, Tables.share * piece.chunk + Int64(index))
                patch.bind(2, piece.chunk)
                patch.bind(3, item.offset)
                patch.bind(4, item.removed)
                patch.bind(5, copying: item.inserted, asText: false)
                patch.bind(6, item.reason.rawValue)
                try patch.run()
            }
        }
        return shifts
    }

    /// Turns what the receiver got into what was read, and gives the patches that lead back.
    private func undo(_ bytes: inout [UInt8], _ chunk: Int64) throws -> [Patch] {
        let raw = try self.bytes.raw(chunk)
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var patches = try self.bytes.patches(of: chunk)
        var got = 0
        for index in patches.indices {
            let patch = patches[index]
            // One that does not fit is skipped when it is applied.
            guard patch.offset >= result.count, patch.removed >= 0,
                patch.offset <= raw.count - patch.removed
            else {
                patches[index].inserted = []
                continue
            }
            let kept = patch.offset - result.count
            result += bytes[got..<got + kept]
            got += kept
            patches[index].inserted = Array(bytes[got..<got + patch.inserted.count])
            got += patch.inserted.count
            var removed = Array(raw[patch.offset..<patch.offset + patch.removed])
            if !removed.isEmpty { walk.removed(&removed, reason: patch.reason, isSocket: isSocket) }
            result += removed
        }
        bytes = result + bytes[got...]
        return patches
    }

    /// Applies the parts of `edits` that are in a chunk to its bytes.
    private func splice(
        _ bytes: inout [UInt8], _ edits: [StreamEdits.Edit], _ range: Range<Int>
    ) -> Shift {
        var result: [UInt8] = []
        var shift: Shift = []
        var position = 0
        for edit in edits {
            let part = edit.range.clamped(to: range)
            let place = part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound
            let share = edit.share(of: part)
            result += bytes[position..<place.lowerBound]
            result += share
            shift.append((place, share.count))
            position = place.upperBound
        }
        bytes = result + bytes[position...]
        return shift
    }

    /// Where `offset` of a chunk is after `shift`.
    static func move(_ offset: Int, by shift: Shift) -> Int {
        var moved = offset
        for (part, count) in shift where part.lowerBound < offset {
            if offset < part.upperBound {
                return moved - (offset - part.lowerBound) + min(offset - part.lowerBound, count)
            }
            moved += count - part.count
        }
        return moved
    }
}
