internal import Simperium
internal import Wire

/// The identity of a bucket of a recording.
struct BucketHome: Hashable {
    /// Identifier of the application, in lower case; empty where no `init` names it.
    var app: String
    /// Its user: the value of `auth`, or a synthesized name.
    var user: String
    /// Its name.
    var bucket: String

    /// The same for the model.
    var id: ServerModel.BucketID {
        ServerModel.BucketID(
            app: app.isEmpty ? Self.anyApp : app, account: user, name: bucket)
    }

    /// The application of clients that name none.
    static let anyApp = "app"
}

/// A recorded `init` and its result.
struct RecordedOpening {
    /// Place in the channel's client commands.
    var index: Int
    /// Place of the `init`.
    var place: Int32
    var request: InitRequest
    /// The bucket that it opens; nil where the server did not authorise the client.
    var home: BucketHome?
}

/// The buckets that a model answers for, and the recorded channels of all of them.
struct BucketModel {
    /// A channel that a live client has open in the model.
    struct Channel: Hashable {
        var home: BucketHome
        /// When the last command is due.
        var due: Instant
    }

    var server: ServerModel
    /// What the recorded channels open, by place.
    var openings: [[RecordedOpening]] = []
    /// Users by recorded tokens.
    var users: [String: String] = [:]
    var homes: Set<BucketHome> = []
    /// By socket and channel.
    var channels: [Int: [Int: Channel]] = [:]
    var sockets: Set<Int> = []
    /// The live key of the last object of recorded pages, by their mark.
    var marks: [BucketHome: [String: String]] = [:]
    /// Decides the change versions.
    var seed: UInt64

    init(seed: UInt64) {
        var options = ServerOptions()
        // Any credentials are accepted, and what the recording has is kept whatever its size.
        options.checksTokens = false
        options.legacyRefusal = .never
        options.bucket.loggedChanges = 1_000_000
        options.bucket.loggedBytes = 256 << 20
        options.bucket.knownChanges = 1_000_000
        options.bucket.objectBytes = 16 << 20
        options.bucket.bytes = 1 << 30
        server = ServerModel(options: options, seed: seed &+ 1)
        self.seed = seed
    }

    /// Makes sure that a socket is open.
    mutating func open(_ socket: Int) {
        if sockets.insert(socket).inserted { server.open(SocketID(socket)) }
    }

    mutating func close(_ socket: Int) {
        guard sockets.remove(socket) != nil else { return }
        server.close(SocketID(socket))
        channels[socket] = nil
    }

    /// Opens a bucket on a channel for any client.
    mutating func open(
        _ home: BucketHome, on socket: Int, _ channel: Int, _ request: InitRequest, at due: Instant
    ) -> [ServerReply] {
        open(socket)
        var request = request
        request.app = home.id.app
        request.token = request.token ?? ""
        channels[socket, default: [:]][channel] = Channel(home: home, due: due)
        return server.receive(
            SimperiumMessage(channel, .initialize(request)), from: SocketID(socket)
        ) { _ in .admitted(user: home.user, account: home.user) }
    }

    /// Closes the bucket on a channel.
    mutating func leave(_ channel: Int, of socket: Int) {
        channels[socket]?[channel] = nil
        // An `init` that is refused closes the channel.
        _ = server.receive(
            SimperiumMessage(channel, .initialize(InitRequest())), from: SocketID(socket)
        ) { _ in .invalidToken }
    }

    /// Processes a command of a client.
    ///
    /// A mark that the recording issued is translated to one of the model.
    mutating func receive(_ text: [UInt8], from socket: Int) -> [ServerReply] {
        open(socket)
        let command = SimperiumCommand.parse(text, from: .client)
        guard var message = SimperiumMessage(command, in: text) else {
            return server.receive(text: text, from: SocketID(socket))
        }
        if case .indexRequest(var request) = message.body, let mark = request.mark,
            let home = message.channel.flatMap({ channels[socket]?[$0]?.home }),
            let key = marks[home]?[mark],
            let own = server.buckets[home.id]?.mark(after: key)
        {
            (request.second, request.third) = (own, "")
            message.body = .indexRequest(request)
        }
        return server.receive(message, from: SocketID(socket))
    }

    /// The messages of the model, for their sockets, in order.
    mutating func written(_ replies: [ServerReply], at now: Instant) -> [ReplayCommand] {
        var output: [ReplayCommand] = []
        for reply in replies {
            let body = SimperiumMessage(nil, reply.body).encoded(by: .server)
            for place in reply.places {
                let socket = place.session.rawValue
                var due = now
                var text = body
                if let channel = place.channel {
                    due = max(now, channels[socket]?[channel]?.due ?? now)
                    text = Array("\(channel):".utf8) + body
                }
                output.append(
                    .send(
                        .init(
                            socket: socket, text: text, recorded: nil, recordedAt: nil, due: due)))
            }
        }
        return output
    }
}
