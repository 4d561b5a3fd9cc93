public import Notation
public import Simperium
import Wire

/// What a server and its clients hold of one bucket of one user.
public struct BucketState: Sendable {
    /// The application; empty where it is unknown.
    public let app: String
    /// Name of the bucket.
    public let name: String
    /// The user, as the server named it; nil before it did.
    public let user: String?
    /// Its clients, in the order in which they came.
    public internal(set) var clients: [BucketClient] = []

    /// The server's objects, as far as they are known.
    var ledger = Ledger(limits: nil)
    /// What the server showed of its past; nil where nobody needs it.
    var history: BucketHistory?
    /// Change versions that were sent lately.
    var recent = RecentTexts(limit: 4_096)
    /// Changes that were applied lately, for the server and all clients.
    var computed = ComputedChanges(limit: 256)
    /// Clients by their identity.
    var places: [ExactText: Int] = [:]
    /// The client that waits for the answer to a change, by `ccid`.
    var awaiting: [ExactText: Int] = [:]

    init(app: String, name: String, user: String?) {
        self.app = app
        self.name = name
        self.user = user
    }

    /// Change version that the server said last.
    public var cv: String? { ledger.cv }

    /// The server's objects, as far as they are known: by key.
    public var objects: [ExactText: Ledger.Object] { ledger.objects }

    /// Whether the trace tells of all objects: the server listed them to their end.
    public var isComplete: Bool { ledger.isComplete }

    /// What the server has under this key.
    public func object(_ key: String) -> Ledger.Object? { ledger.object(key) }

    /// The client with this identifier.
    public func client(_ id: String) -> BucketClient? {
        places[ExactText(id)].map { clients[$0] }
    }

    /// Whether it has no known state.
    public var isEmpty: Bool {
        objects.isEmpty && cv == nil && clients.allSatisfy { $0.isEmpty }
    }

    /// The place of a client, which is added where it is new.
    mutating func place(of id: String) -> Int {
        if let place = places[ExactText(id)] { return place }
        places[ExactText(id)] = clients.count
        clients.append(BucketClient(id: id))
        return clients.count - 1
    }
}

/// What one client holds of a bucket: what it must, having sent and received what it did.
public struct BucketClient: Sendable {
    /// Its `clientid`; `socket N` where it gave none.
    public let id: String
    /// Changes that it sent and has not seen acknowledged, by key, each key's in order.
    public internal(set) var unacknowledged: [ExactText: [UnacknowledgedChange]] = [:]
    /// The last change of each object that it does not have though the server sent it.
    public internal(set) var missed: [ExactText: MissedChange] = [:]
    /// The `ccid` of the change of each object that was acknowledged last.
    var acknowledged: [ExactText: ExactText] = [:]
    /// What it received; its own changes count once they are acknowledged.
    var ledger = Ledger(limits: nil)
    /// Sockets on which its bucket is open.
    var sockets: Set<ConnectionID> = []

    init(id: String) { self.id = id }

    /// Change version of the last change or index that it received.
    public var cv: String? { ledger.cv }

    /// What it received, by key; its own changes count once they are acknowledged.
    public var objects: [ExactText: Ledger.Object] { ledger.objects }

    /// Whether the trace contains all its objects: it received a whole index or sent its own.
    public var isComplete: Bool { ledger.isComplete }

    /// Whether a socket is there on which the bucket is open.
    public var isConnected: Bool { !sockets.isEmpty }

    var isEmpty: Bool { objects.isEmpty && cv == nil && unacknowledged.isEmpty }

    /// Number of changes that it has not seen acknowledged.
    public var unacknowledgedCount: Int { unacknowledged.values.reduce(0) { $0 + $1.count } }

    /// What it received last under this key.
    public func object(_ key: String) -> Ledger.Object? { ledger.object(key) }

    /// What the user of the client sees: what it received with its own changes applied.
    ///
    /// - Returns: Whether there is an object, and its JSON text where that is known.
    public func local(_ key: String) -> (exists: Bool, json: [UInt8]?) {
        let key = ExactText(key)
        var exists = objects[key] != nil
        var json = objects[key]?.json
        for change in unacknowledged[key] ?? [] {
            json = change.applied(to: json)
            exists = !change.isRemoval
        }
        return (exists, json)
    }
}

/// The last texts that were sent, in bounded memory.
struct RecentTexts: Sendable {
    private var order: [ExactText] = []
    private var texts: Set<ExactText> = []
    private var oldest = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Whether a text is new; it is kept.
    mutating func insert(_ text: String) -> Bool {
        let text = ExactText(text)
        guard texts.insert(text).inserted else { return false }
        if order.count < limit {
            order.append(text)
        } else {
            texts.remove(order[oldest])
            order[oldest] = text
            oldest = (oldest + 1) % limit
        }
        return true
    }
}
