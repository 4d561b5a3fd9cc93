public import Notation
import Wire

/// What a server and its clients hold of one bucket of one user.
public struct BucketState: Sendable {
    /// The application; empty where it was not said.
    public let app: String
    /// Name of the bucket.
    public let name: String
    /// The user, as the server named it; nil before it did.
    public let user: String?
    /// Change version that the server said last.
    public internal(set) var cv: String?
    /// What the server has, as far as it was told: by key.
    public internal(set) var objects: [ExactText: HeldObject] = [:]
    /// Whether the trace tells of all objects: the server listed them to their end.
    public internal(set) var isComplete = false
    /// Its clients, in the order in which they came.
    public internal(set) var clients: [BucketClient] = []

    /// Change versions that were told lately.
    var recent = RecentTexts(limit: 4_096)
    /// Changes that were applied lately, by change version.
    var steps = RecentSteps(limit: 256)
    /// Clients by what tells them apart.
    var places: [ExactText: Int] = [:]
    /// The client that waits for the answer to a change, by `ccid`.
    var awaiting: [ExactText: Int] = [:]

    init(app: String, name: String, user: String?) {
        self.app = app
        self.name = name
        self.user = user
    }

    /// What the server has under this key.
    public func object(_ key: String) -> HeldObject? { objects[ExactText(key)] }

    /// The client with this identifier.
    public func client(_ id: String) -> BucketClient? {
        places[ExactText(id)].map { clients[$0] }
    }

    /// Whether nothing is known of it.
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
    /// Change version of the last change or index that it received.
    public internal(set) var cv: String?
    /// What it received, by key; its own changes count once they are acknowledged.
    public internal(set) var objects: [ExactText: HeldObject] = [:]
    /// Whether the trace tells of all its objects: it received a whole index or told its own.
    public internal(set) var isComplete = false
    /// Changes that it sent and has not seen acknowledged, by key, each key's in order.
    public internal(set) var unacknowledged: [ExactText: [UnacknowledgedChange]] = [:]
    /// The last change of each object that it does not have though the server sent it.
    public internal(set) var missed: [ExactText: MissedChange] = [:]
    /// Sockets on which its bucket is open.
    var sockets: Set<ConnectionID> = []

    init(id: String) { self.id = id }

    /// Whether a socket is there on which the bucket is open.
    public var isConnected: Bool { !sockets.isEmpty }

    var isEmpty: Bool { objects.isEmpty && cv == nil && unacknowledged.isEmpty }

    /// Number of changes that it has not seen acknowledged.
    public var unacknowledgedCount: Int { unacknowledged.values.reduce(0) { $0 + $1.count } }

    /// What it received last under this key.
    public func object(_ key: String) -> HeldObject? { objects[ExactText(key)] }

    /// What the user of the client sees: what it received with its own changes applied.
    ///
    /// - Returns: Whether there is an object, and its JSON text where that can be told.
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

/// The last texts that were told, in bounded memory.
struct RecentTexts: Sendable {
    private var order: [ExactText] = []
    private var texts: Set<ExactText> = []
    private var oldest = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Whether a text is new; it is remembered.
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

/// The last changes that were applied, so that each is computed once for all who get it.
struct RecentSteps: Sendable {
    struct Step: Sendable {
        var base: [UInt8]
        var operations: [UInt8]
        var result: [UInt8]?
    }

    private var steps: [Step] = []
    private var places: [ExactText: Int] = [:]
    private var names: [ExactText] = []
    private var oldest = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    subscript(cv: String) -> Step? { places[ExactText(cv)].map { steps[$0] } }

    mutating func insert(_ step: Step, _ cv: String) {
        let name = ExactText(cv)
        if let place = places[name] {
            steps[place] = step
        } else if steps.count < limit {
            places[name] = steps.count
            names.append(name)
            steps.append(step)
        } else {
            places[names[oldest]] = nil
            places[name] = oldest
            names[oldest] = name
            steps[oldest] = step
            oldest = (oldest + 1) % limit
        }
    }
}
