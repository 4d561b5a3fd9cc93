package import Wire

/// A chunk whose bytes are being changed, each where one of the peers had it.
///
/// What replaces as many bytes as there were goes to where they are: into the chunk, where the other
/// peer has it as well, or into what a patch inserts; a byte that stays what it was is not replaced.
/// Anything else makes one piece of all that it
/// touches: the chunk gets what the sender had of it then, and a patch what the receiver had instead.
/// All other patches and deliveries stay, moved and as far as their bytes do.
package struct ChunkEdits {
    private struct Edit {
        var peer: Peer
        var range: Range<Int>
        var bytes: [UInt8]
    }

    private let original: Chunk
    private var atoms: [ChunkAtom]
    private var edits: [Edit] = []

    /// The chunk as it is.
    package init(of chunk: Chunk) {
        original = chunk
        atoms = ChunkAtom.all(of: chunk)
    }

    // MARK: Changing

    /// Whether anything is changed.
    package var isEmpty: Bool { edits.isEmpty }

    /// Puts bytes in the place of those at `range` of what `peer` had, which no other change of
    /// what this peer had touches.
    ///
    /// - Parameters:
    ///   - range: Indices in the `ChunkView` of the peer; nothing happens where it is empty.
    ///   - bytes: What comes there; may be empty.
    ///   - peer: Whose view it is.
    package mutating func replace(_ range: Range<Int>, with bytes: [UInt8], hadBy peer: Peer) {
        guard !range.isEmpty else { return }
        edits.append(Edit(peer: peer, range: range, bytes: bytes))
    }

    /// Changes what no peer had: what a proxy had to take out, and what was made and not delivered.
    ///
    /// - Parameter change: Changes bytes and leaves their number; gets the reason of the patch that
    ///   removes or inserts them, if there is one.
    package mutating func changeUnseen(_ change: (inout [UInt8], Patch.Reason?) -> Void) {
        var index = 0
        while index < atoms.count {
            let first = atoms[index]
            guard first.isUnseen else {
                index += 1
                continue
            }
            // The border of a delivery may be among them.
            let end =
                atoms[index...].firstIndex {
                    !$0.isUnseen || $0.patch != first.patch || $0.isInserted != first.isInserted
                } ?? atoms.count
            let old = atoms[index..<end].flatMap(\.bytes)
            var new = old
            change(&new, first.patch.map { original.patches[$0].reason })
            if new.count == old.count { write(new, from: index) }
            index = end
        }
    }

    /// Spreads `bytes` over the atoms from `index` on.
    private mutating func write(_ bytes: [UInt8], from index: Int) {
        var (index, rest) = (index, bytes[...])
        while !rest.isEmpty, index < atoms.count {
            let count = atoms[index].bytes.count
            atoms[index].bytes = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            index += 1
        }
    }

    // MARK: The outcome

    /// The chunk with all changes.
    package func outcome() -> EditedChunk {
        var state = self
        var large: [Edit] = []
        var changed: [Int: UInt8] = [:]
        for peer in [original.sender, original.sender.other] {
            for edit in edits where edit.peer == peer {
                let fits = edit.bytes.count == edit.range.count
                if !fits || !state.write(edit, over: atoms, &changed) { large.append(edit) }
            }
        }
        for edit in large { state.split(at: edit) }
        return state.joined(state.hulls(of: large), large)
    }

    /// Writes an edit where the bytes are, which were `before`; false where the other peer gets
    /// something else for some of them.
    private mutating func write(
        _ edit: Edit, over before: [ChunkAtom], _ changed: inout [Int: UInt8]
    ) -> Bool {
        for isChecked in [true, false] {
            for index in atoms.indices {
                guard let range = atoms[index].range(hadBy: edit.peer), range.overlaps(edit.range)
                else { continue }
                for place in range.clamped(to: edit.range) {
                    let byte = edit.bytes[place - edit.range.lowerBound]
                    let inside = place - range.lowerBound
                    guard byte != before[index].bytes[inside] else { continue }
                    let isShared = !atoms[index].starts.contains(nil)
                    let key =
                        atoms[index].isInserted
                        ? -1 - index << 32 - inside : atoms[index].offset + inside
                    if isChecked {
                        if isShared, let other = changed[key], other != byte { return false }
                    } else {
                        if isShared { changed[key] = byte }
                        atoms[index].bytes[inside] = byte
                    }
                }
            }
        }
        return true
    }

    /// Cuts atoms where an edit begins and ends.
    private mutating func split(at edit: Edit) {
        for bound in [edit.range.lowerBound, edit.range.upperBound] {
            let found = atoms.firstIndex {
                guard let range = $0.range(hadBy: edit.peer) else { return false }
                return range.lowerBound < bound && bound < range.upperBound
            }
            guard let index = found, let range = atoms[index].range(hadBy: edit.peer) else {
                continue
            }
            let atom = atoms[index]
            let count = bound - range.lowerBound
            atoms.replaceSubrange(
                index...index, with: [atom.part(0..<count), atom.part(count..<atom.bytes.count)])
        }
    }

    /// The atoms that become one piece each, ascending.
    private func hulls(of edits: [Edit]) -> [Range<Int>] {
        var hulls: [Range<Int>] = edits.compactMap { edit in
            let touched = atoms.indices.filter {
                atoms[$0].range(hadBy: edit.peer)?.overlaps(edit.range) == true
            }
            guard let first = touched.first, let last = touched.last else { return nil }
            return whole(first..<last + 1)
        }
        hulls.sort { $0.lowerBound < $1.lowerBound }
        var joined: [Range<Int>] = []
        for hull in hulls {
            if let last = joined.last, hull.lowerBound < last.upperBound {
                joined[joined.count - 1] =
                    last.lowerBound..<max(last.upperBound, hull.upperBound)
            } else {
                joined.append(hull)
            }
        }
        return joined
    }

    /// A hull with all of the patches that it has a part of, unless it is of one patch alone.
    private func whole(_ hull: Range<Int>) -> Range<Int> {
        if isOfPatchAlone(hull) { return hull }
        var hull = hull
        for index in hull {
            guard let patch = atoms[index].patch else { continue }
            let first = atoms.firstIndex { $0.patch == patch } ?? hull.lowerBound
            let last = atoms.lastIndex { $0.patch == patch } ?? hull.upperBound - 1
            hull = min(hull.lowerBound, first)..<max(hull.upperBound, last + 1)
        }
        return hull
    }

    /// Whether some atoms are inserted, or removed, by one patch that only one peer had.
    private func isOfPatchAlone(_ hull: Range<Int>) -> Bool {
        let first = atoms[hull.lowerBound]
        guard let patch = first.patch, !original.patches[patch].reason.isRewrite else {
            return false
        }
        return hull.allSatisfy {
            atoms[$0].patch == patch && atoms[$0].isInserted == first.isInserted
        }
    }

    /// What `peer` had of some atoms, with the edits.
    private func had(_ hull: Range<Int>, by peer: Peer, _ edits: [Edit]) -> [UInt8] {
        var bytes: [UInt8] = []
        var last: Range<Int>?
        for atom in atoms[hull] {
            guard let range = atom.range(hadBy: peer) else { continue }
            guard
                let edit = edits.first(where: { $0.peer == peer && $0.range.overlaps(range) })
            else {
                bytes += atom.bytes
                continue
            }
            if last != edit.range { bytes += edit.bytes }
            last = edit.range
        }
        return bytes
    }

    private func joined(_ hulls: [Range<Int>], _ edits: [Edit]) -> EditedChunk {
        var writing = ChunkWriting(original)
        var index = 0
        for hull in hulls + [atoms.count..<atoms.count] {
            while index < hull.lowerBound {
                writing.add(atoms[index])
                index += 1
            }
            guard !hull.isEmpty else { continue }
            index = hull.upperBound
            var atom = atoms[hull.lowerBound]
            if isOfPatchAlone(hull) {
                atom.bytes = had(
                    hull, by: atom.isInserted ? original.sender.other : original.sender, edits)
                writing.add(atom, inPlaceOf: stored(hull))
                continue
            }
            writing.add(
                sent: original.origin == .tapedeck
                    ? nil : had(hull, by: original.sender, edits),
                received: had(hull, by: original.sender.other, edits), stored(hull),
                Array(atoms[hull]))
        }
        return writing.outcome()
    }

    /// Offsets of the bytes of the chunk in some atoms.
    private func stored(_ hull: Range<Int>) -> Range<Int> {
        let stored = atoms[hull].filter { !$0.isInserted }
        guard let first = stored.first, let last = stored.last else { return 0..<0 }
        return first.offset..<last.offset + last.bytes.count
    }
}
