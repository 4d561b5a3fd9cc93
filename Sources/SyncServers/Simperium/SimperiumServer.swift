internal import Simperium
internal import Wire

/// A Simperium server in memory: applications, users, buckets and the sockets that share them.
///
/// A value: messages in, messages out; time and randomness are inputs. Any token of 32 or more
/// letters and digits is let in, each as a user of its own unless it was given out by
/// ``authorize(_:now:random:)``. Source: `simperium-websocket.txt`.
public struct SimperiumServer: Sendable {
    /// A message to a client.
    public struct Reply: Hashable, Sendable {
        /// Number of the connection, as given to ``open(_:app:)``.
        public var connection: Int
        /// The message.
        public var text: String

        /// A reply with these values.
        public init(_ connection: Int, _ text: String) {
            self.connection = connection
            self.text = text
        }
    }

    /// Bounds of what clients can make the server keep.
    enum Limit {
        /// Most channels of one connection.
        static let channels = 1000
        /// Most buckets.
        static let buckets = 10_000
        /// Most tokens given out.
        static let tokens = 100_000
        /// Most entries of a page of the index; fewer come where the client asks for fewer.
        static let page = 1000
        /// Entries of a page where the client does not say.
        static let usualPage = 100
    }

    /// Who shares a bucket.
    struct BucketName: Hashable, Sendable {
        var app: String
        var user: String
        var name: String
    }

    /// Where echoes go.
    struct Subscriber: Hashable, Sendable {
        var connection: Int
        var channel: Int
    }

    /// A channel that was let in.
    struct Channel: Sendable {
        var bucket: BucketName
        var clientID: String
    }

    /// A socket.
    struct Connection: Sendable {
        /// The application in the path; nil where it has none.
        var app: String?
        var channels: [Int: Channel] = [:]
    }

    /// A user of an application who was given a token.
    struct Account: Hashable, Sendable {
        var app: String
        var user: String
    }

    var connections: [Int: Connection] = [:]
    var buckets: [BucketName: Bucket] = [:]
    var subscribers: [BucketName: [Subscriber]] = [:]
    var tokens: [String: Account] = [:]
    var userIDs: [Account: String] = [:]

    /// A server that nobody has used yet.
    public init() {}

    /// How many connections are open.
    public var connectionCount: Int { connections.count }

    /// A client connected.
    ///
    /// - Parameters:
    ///   - connection: A number that no open connection has.
    ///   - app: Identifier of the application in the path, if any.
    public mutating func open(_ connection: Int, app: String?) {
        connections[connection] = Connection(app: app)
    }

    /// A client is gone.
    public mutating func close(_ connection: Int) {
        guard let gone = connections.removeValue(forKey: connection) else { return }
        for channel in gone.channels.values {
            subscribers[channel.bucket]?.removeAll { $0.connection == connection }
        }
    }

    /// A client sent a message.
    ///
    /// - Parameters:
    ///   - message: The text; hostile.
    ///   - connection: Number of an open connection.
    ///   - now: Seconds since 1970.
    ///   - random: Where change versions come from.
    /// - Returns: Messages to any of the open connections, in the order in which each has to get
    ///   its own.
    public mutating func receive(
        _ message: [UInt8], from connection: Int, now: Int64,
        random: inout some RandomNumberGenerator
    ) -> [Reply] {
        guard connections[connection] != nil else { return [] }
        let command = SimperiumCommand.parse(message, from: .client)
        guard let channel = command.channel else {
            switch command.body {
            case .heartbeat(let count) where count < .max:
                return [Reply(connection, "h:\(count + 1)")]
            case .log: return []
            default: return [Reply(connection, "?")]
            }
        }
        let place = Subscriber(connection: connection, channel: channel)
        if case .initialize(let request) = command.body {
            return initialize(request, place, now, &random)
        }
        guard let open = connections[connection]?.channels[channel] else {
            return [Reply(connection, "\(channel):?")]
        }
        switch command.body {
        case .indexRequest(let request): return [index(request, place, open)]
        case .entityRequest(let key, let version): return [entity(key, version, place, open)]
        case .changesSince(let cv): return [changes(since: cv, place, open)]
        case .changes(let changes):
            return changes.flatMap { change($0, in: message, place, open, now, &random) }
        case .indexState, .log: return []
        default: return [Reply(connection, "\(channel):?")]
        }
    }
}
