/// A note and where it was found.
@usableFromInline struct HTTPPlacedNote: Sendable {
    /// What is odd.
    var note: HTTPNote
    /// Offset in bytes; from where is up to the list.
    var offset: Int64
}

/// Notes about one message, each kind at most once.
///
/// One of a kind suffices, and a peer could fill memory with more.
@usableFromInline struct HTTPNoteList: Sendable {
    /// The notes in the order in which they were found.
    @usableFromInline private(set) var items: [HTTPPlacedNote] = []

    /// Adds a note unless there is one of its kind.
    mutating func add(_ note: HTTPNote, _ offset: Int) { _ = insert(note, Int64(offset)) }

    /// Adds a note unless there is one of its kind.
    ///
    /// - Returns: Whether it was added.
    mutating func insert(_ note: HTTPNote, _ offset: Int64) -> Bool {
        for item in items where item.note == note { return false }
        items.append(HTTPPlacedNote(note: note, offset: offset))
        return true
    }

    /// Drops everything.
    mutating func removeAll() {
        if !items.isEmpty { items.removeAll(keepingCapacity: true) }
    }
}
