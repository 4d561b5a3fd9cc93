/// The changes that were made, by client and identifier, as far as they are kept.
///
/// The oldest go first. Source: observed by the client for Android, the identity of a change is
/// `clientid` and `ccid`.
struct KnownChanges: Hashable, Sendable {
    private struct Identity: Hashable, Sendable {
        let client: String
        let ccid: String
    }

    private var known: Set<Identity> = []
    /// The same in their order, from ``start`` on.
    private var order: [Identity] = []
    private var start = 0
    /// Changes that are refused again when they are sent again.
    private var refused: [Identity: ChangeCheck] = [:]

    /// How many are kept.
    var count: Int { known.count }

    /// Whether a client has made this change.
    func contains(client: String, ccid: String) -> Bool {
        known.contains(Identity(client: client, ccid: ccid))
    }

    /// Why a change of a client is refused whenever it is sent; nil where nothing is known of it.
    func refusal(client: String, ccid: String) -> ChangeCheck? {
        refused.isEmpty ? nil : refused[Identity(client: client, ccid: ccid)]
    }

    /// Keeps why a change is refused.
    mutating func refuse(client: String, ccid: String, _ check: ChangeCheck) {
        refused[Identity(client: client, ccid: ccid)] = check
    }

    /// Keeps a change.
    mutating func insert(client: String, ccid: String, most: Int) {
        let identity = Identity(client: client, ccid: ccid)
        guard most > 0, known.insert(identity).inserted else { return }
        order.append(identity)
        while known.count > most {
            known.remove(order[start])
            start += 1
        }
        if start > order.count / 2 {
            order.removeFirst(start)
            start = 0
        }
    }
}
