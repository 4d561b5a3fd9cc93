public import Notation
import Wire

extension ClientBucket {
    /// An object with its kept state, and the state of this connection.
    struct Entry {
        var stored = SavedObject()
        /// Whether the change was sent on this connection.
        var isInFlight = false
        /// When it was sent on this connection.
        var sentAt = Instant.zero
        /// When it is to be sent again after a server error.
        var retryAt: Instant?
        /// Server errors in a row.
        var serverErrors = 0
        /// Times that the change was refused with 401.
        var permissionErrors = 0
        /// Whether the app changed it after the change that was abandoned.
        var isEditedSinceSent = false
        /// A client change id, or else the change version, of the last change that was received.
        var lastChange: String?
        /// Changes with the whole object in a row.
        var fullAttempts = 0

        /// Whether the app has something that the server does not, as far as known.
        var isDirty: Bool {
            switch (stored.ghost?.data, stored.local) {
            case (nil, nil): false
            case (let ghost?, let local?): ghost != local && !ghost.isSame(as: local)
            default: true
            }
        }

        /// Whether nothing of it is worth remembering but its tombstone.
        var isGone: Bool {
            stored.ghost == nil && stored.local == nil && stored.sent == nil
                && stored.wanted == nil
        }
    }

    /// Changes what is stored of an entry, and keeps to save it.
    mutating func update<Result>(
        _ key: ExactText, _ body: (inout Entry) -> Result
    ) -> Result {
        unsaved.insert(key)
        return body(&entries[key, default: Entry()])
    }

    /// The entry of a key.
    func entry(_ key: ExactText) -> Entry { entries[key] ?? Entry() }

    /// Keys in an order that does not depend on the memory layout of sets.
    func keys(where isWanted: (SavedObject) -> Bool) -> [ExactText] {
        entries.compactMap { isWanted($0.value.stored) ? $0.key : nil }
            .sorted { $0.string < $1.string }
    }

    /// Keys of changes in the order in which these were sent first.
    func inOrder(_ keys: Set<ExactText>) -> [ExactText] {
        keys.sorted {
            entry($0).stored.sent?.sequence ?? 0 < entry($1).stored.sent?.sequence ?? 0
        }
    }

    /// The data that the app has; nil where there is no such object.
    public func data(_ key: String) -> JSONValue? { entries[ExactText(key)]?.stored.local }

    /// The last known value of the server; nil for none.
    public func ghost(_ key: String) -> Ghost? { entries[ExactText(key)]?.stored.ghost }

    /// Keys of all objects that the app has, in no order.
    public var keys: [String] {
        entries.compactMap { $0.value.stored.local == nil ? nil : $0.key.string }
    }

    /// Whether the app has something that the server has not answered yet.
    public var hasPending: Bool {
        emptying != nil || !unanswered.isEmpty || !queue.isEmpty
    }
}
