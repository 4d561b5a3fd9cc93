internal import Simperium
internal import Wire

/// A Simperium server in memory: applications, users, buckets and the sockets that share them.
///
/// A value: messages in, messages out; randomness is an input. Any token of 32 or more letters and
/// digits is let in, each as a user of its own unless it was given out by ``answer(_:random:)``.
/// What it does is the business of `ServerModel`. Source: `simperium-websocket.txt`.
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
        /// Most tokens given out.
        static let tokens = 100_000
    }

    /// A user of an application who was given a token.
    struct Account: Hashable, Sendable {
        var app: String
        var user: String
    }

    var tokens: [String: Account] = [:]
    var userIDs: [Account: String] = [:]
    private(set) var model = ServerModel(options: SimperiumServer.options, seed: 0)
    private var isSeeded = false

    /// A server that nobody has used yet.
    public init() {}

    /// Those of the model, but for a longer log and a single refusal.
    ///
    /// Clients that are being developed are away for long. `auth:expired`, which old clients got
    /// before a refusal, is taken for a user's name by one of them.
    static var options: ServerOptions {
        var options = ServerOptions()
        options.bucket.loggedChanges = 1000
        options.legacyRefusal = .never
        return options
    }

    /// How many connections are open.
    public var connectionCount: Int { model.sessionCount }

    /// A client connected.
    ///
    /// - Parameters:
    ///   - connection: A number that no open connection has.
    ///   - app: Identifier of the application in the path, if any.
    public mutating func open(_ connection: Int, app: String?) {
        model.open(SocketID(connection), app: app)
    }

    /// A client is gone.
    public mutating func close(_ connection: Int) { model.close(SocketID(connection)) }

    /// A client sent a message.
    ///
    /// - Parameters:
    ///   - message: The text; hostile.
    ///   - connection: Number of an open connection.
    ///   - random: Where change versions come from.
    /// - Returns: Messages to any of the open connections, in the order in which each has to get
    ///   its own.
    public mutating func receive(
        _ message: [UInt8], from connection: Int, random: inout some RandomNumberGenerator
    ) -> [Reply] {
        if !isSeeded {
            // Clients that come back to a server that was started anew must not be taken for known.
            model.seed = random.next()
            isSeeded = true
        }
        let tokens = tokens
        let replies = model.receive(text: message, from: SocketID(connection)) { request in
            Self.admission(of: request, tokens)
        }
        return replies.flatMap(Self.written)
    }

    /// A token that was given out is good for its own application alone.
    private static func admission(
        of request: InitRequest, _ tokens: [String: Account]
    ) -> Admission {
        guard let account = request.token.flatMap({ tokens[$0] }) else {
            return .ofAnyToken(request)
        }
        guard account.app == request.app else { return .invalidToken }
        // No token has a space, so that nobody gets the buckets of a user by calling a token so.
        return .admitted(user: account.user, account: "user \(account.user)")
    }

    /// A reply for each of its receivers, written once for all.
    private static func written(_ reply: ServerReply) -> [Reply] {
        let text = String(
            decoding: SimperiumMessage(nil, reply.body).encoded(by: .server), as: UTF8.self)
        return reply.places.map { place in
            Reply(place.session.rawValue, place.channel.map { "\($0):\(text)" } ?? text)
        }
    }
}
