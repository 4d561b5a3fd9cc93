/// What holds for the clients of a world once faults of a kind have stopped.
enum FaultPromise: Hashable, Sendable {
    /// All have the same as the server, and every edit that the server acknowledged is in its history
    /// once, as is every edit that no app gave up.
    case everything
    /// All have the same as the server; its history is not what the apps meant, because of a lie that
    /// no client can see through.
    case sameData(because: String)
    /// An object is the same everywhere when it was changed once more, and the history is whole: what
    /// was lost left no trace that a client could notice before.
    case sameAfterNextChange(because: String)
    /// An object is the same everywhere when it was changed once more; the history is not what the
    /// apps meant.
    case sameDataAfterNextChange(because: String)

    /// Whether the history is to be looked at.
    var keepsHistory: Bool {
        switch self {
        case .everything, .sameAfterNextChange: true
        case .sameData, .sameDataAfterNextChange: false
        }
    }

    /// Whether all are to have the same before anything else is changed.
    var isSameAtOnce: Bool {
        switch self {
        case .everything, .sameData: true
        case .sameAfterNextChange, .sameDataAfterNextChange: false
        }
    }
}
