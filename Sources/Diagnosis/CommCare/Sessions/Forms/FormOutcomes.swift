import OpenRosa
import Wire

/// The forms of all clients by project and instanceID, and by content.
///
/// Bounded: the oldest form is dropped first.
struct FormOutcomes: Sendable {
    /// The maximum number of forms that are remembered.
    static let most = 20_000

    /// The identity of a form.
    struct Key: Hashable, Sendable {
        let server: String
        let domain: String
        let instanceID: String
    }

    /// A content of one user.
    struct Content: Hashable, Sendable {
        let person: CommCarePersonKey
        let digest: CommCareDigest
    }

    private var outcomes: [Key: FormOutcome] = [:]
    private var order: [(key: Key, content: Content)] = []
    private var forgotten = 0
    private var contents: [Content: [Key]] = [:]

    subscript(key: Key) -> FormOutcome? { outcomes[key] }

    /// Changes the state of a form.
    mutating func change(_ key: Key, _ body: (inout FormOutcome) -> Void) {
        guard var outcome = outcomes.removeValue(forKey: key) else { return }
        body(&outcome)
        outcomes[key] = outcome
    }

    /// Remembers a form that was not seen before.
    mutating func add(_ outcome: FormOutcome, _ key: Key, _ content: Content) {
        outcomes[key] = outcome
        order.append((key, content))
        if contents[content, default: []].count < 8 { contents[content, default: []].append(key) }
        guard order.count - forgotten > Self.most else { return }
        let old = order[forgotten]
        outcomes[old.key] = nil
        contents[old.content]?.removeAll { $0 == old.key }
        if contents[old.content]?.isEmpty == true { contents[old.content] = nil }
        forgotten += 1
        if forgotten == Self.most {
            order.removeFirst(forgotten)
            forgotten = 0
        }
    }

    /// Forms of a user with this content, in order.
    func same(_ content: Content) -> [Key] { contents[content] ?? [] }
}
