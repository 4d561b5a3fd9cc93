public import Notation

/// A Simperium server as a value: connections, their channels, and the buckets they share.
///
/// It has no sockets, clock or randomness: ``receive(_:from:admit:)`` takes each message of a
/// client, and returns the server's messages, in the order in which each client has to get them. A
/// copy is a snapshot of everything. The same messages in the same order give the same replies.
///
///     var server = ServerModel(seed: 1)
///     server.open(SocketID(1), app: "app")
///     let replies = server.receive(message, from: SocketID(1))
///
/// Source: Simperium/Specification.md.
public struct ServerModel: Hashable, Sendable {
    /// The identity of a bucket.
    public struct BucketID: Hashable, Sendable {
        /// The application.
        public var app: String
        /// The user; see ``Admission``.
        public var account: String
        /// The name.
        public var name: String

        /// The bucket `name` of a user of an application.
        public init(app: String, account: String, name: String) {
            self.app = app
            self.account = account
            self.name = name
        }
    }

    /// A channel whose client was authorised.
    struct Channel: Hashable, Sendable {
        var bucket: BucketID
        var author: ChangeAuthor
        /// Whether an unknown change version is answered with `c:?`.
        var isLegacy: Bool
    }

    /// A connection.
    struct Session: Hashable, Sendable {
        /// The application of its path; nil where it has none.
        var app: String?
        var channels: [Int: Channel] = [:]
    }

    /// Limits and decisions; those of buckets are for buckets that are made from now on.
    public var options: ServerOptions
    /// The buckets that were opened or seeded.
    public internal(set) var buckets: [BucketID: ServerBucket] = [:]
    var sessions: [SocketID: Session] = [:]
    var subscribers: [BucketID: [ServerReply.Place]] = [:]
    /// Decides the change versions of the buckets that are made from now on.
    public var seed: UInt64

    /// An unused server.
    ///
    /// - Parameters:
    ///   - options: Limits and decisions.
    ///   - seed: Decides the change versions of all buckets.
    public init(options: ServerOptions = ServerOptions(), seed: UInt64) {
        self.options = options
        self.seed = seed
    }

    /// How many connections are open.
    public var sessionCount: Int { sessions.count }

    /// A client connected.
    ///
    /// - Parameters:
    ///   - session: One that is not open.
    ///   - app: The application in the path of the socket; nil where `init` alone names one.
    public mutating func open(_ session: SocketID, app: String? = nil) {
        sessions[session] = Session(app: app)
    }

    /// A client disconnected, which closes its channels.
    public mutating func close(_ session: SocketID) {
        guard let gone = sessions.removeValue(forKey: session) else { return }
        for bucket in Set(gone.channels.values.map(\.bucket)) {
            subscribers[bucket]?.removeAll { $0.session == session }
        }
    }

    /// Replaces the bucket with this name, if any; clients on it are not notified.
    public mutating func put(_ bucket: ServerBucket, as id: BucketID) { buckets[id] = bucket }

    /// Makes a change on behalf of the server, and sends it to all clients on the bucket.
    ///
    /// - Returns: Nil where there is no such bucket; a refused change is sent to no client.
    public mutating func make(
        _ change: SimperiumChange<JSONValue>, by author: ChangeAuthor, in id: BucketID
    ) -> (outcome: ChangeOutcome, replies: [ServerReply])? {
        guard let outcome = buckets[id]?.receive(change, from: author) else { return nil }
        guard case .accepted(let reported) = outcome else { return (outcome, []) }
        return (outcome, [broadcast(reported, id)])
    }

    /// Requests the state of every client on a bucket: `index`.
    ///
    /// Source: Simperium/Specification.md#remote-index.
    public func askForState(of id: BucketID) -> ServerReply {
        ServerReply(.everyone(subscribers[id] ?? []), .indexStateRequest)
    }

    /// Requests the state of the client of one channel.
    public func askForState(_ session: SocketID, channel: Int) -> ServerReply {
        ServerReply(.one(.init(session, channel)), .indexStateRequest)
    }

    /// Requests log messages of a client: 0 none, 1 the usual ones, 2 all.
    ///
    /// Source: Simperium/Specification.md#remote-logging.
    public func askForLog(_ session: SocketID, level: Int) -> ServerReply {
        ServerReply(.one(.init(session, nil)), .logLevel(level))
    }

    /// The bucket with this name; a new one where there is none and room for one.
    mutating func findBucket(_ id: BucketID) -> Bool {
        guard buckets[id] == nil else { return true }
        guard buckets.count < options.buckets else { return false }
        buckets[id] = ServerBucket(
            name: id.name, options: options.bucket, versions: ChangeVersions(seed: seed))
        seed &+= 2
        return true
    }

    /// A change as it is sent to all clients on a bucket.
    func broadcast(_ change: SimperiumChange<JSONValue>, _ id: BucketID) -> ServerReply {
        ServerReply(.everyone(subscribers[id] ?? []), .changes([namespace.outer(change)]))
    }
}
