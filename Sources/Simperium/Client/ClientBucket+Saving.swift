import Notation
import Wire

extension ClientBucket {
    /// The stored state as a whole; ``Command/save(_:)`` has the changes.
    public var saved: Saved {
        var saved = Saved()
        saved.cv = cv
        saved.emptying = emptying
        for key in Set(entries.keys).union(tombstones.keys) { saved.objects[key] = stored(key) }
        return saved
    }

    private func stored(_ key: ExactText) -> SavedObject? {
        let tombstone = tombstones[key]
        guard let entry = entries[key], !entry.isGone else {
            guard let tombstone else { return nil }
            var object = SavedObject()
            object.tombstone = tombstone
            return object
        }
        var object = entry.stored
        object.tombstone = tombstone
        return object
    }

    mutating func restore(_ saved: Saved) {
        cv = saved.cv.flatMap { $0.isEmpty ? nil : $0 }
        emptying = saved.emptying
        // Sorted, so that the same saved state and events give the same commands.
        for (key, object) in saved.objects.sorted(by: { $0.key.string < $1.key.string }) {
            if let version = object.tombstone { _ = tombstones.insert(key, at: version) }
            var entry = Entry(stored: object)
            entry.stored.tombstone = nil
            guard !entry.isGone else { continue }
            entries[key] = entry
            if let sent = object.sent {
                unanswered.insert(key)
                nextSequence = max(nextSequence, sent.sequence)
            }
            if entry.isDirty { queue.append(key) }
        }
    }

    /// What changed since the last call; nil where nothing did.
    mutating func takeSaving() -> Saving? {
        guard isHeadUnsaved || !unsaved.isEmpty else { return nil }
        var saving = Saving(cv: cv, emptying: emptying, objects: [:])
        for key in unsaved {
            if let entry = entries[key], entry.isGone { entries[key] = nil }
            saving.objects.updateValue(stored(key), forKey: key)
        }
        unsaved = []
        isHeadUnsaved = false
        return saving
    }
}
