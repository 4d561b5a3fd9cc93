import Notation
internal import Simperium
internal import Wire

/// A Simperium server: applications, users, buckets and the sockets that share them.
///
/// A value: messages in, messages out; randomness is an input. What has to be stored before the
/// messages go out is collected in ``records``, what clients answered to the admin in ``reports``.
/// What it does is the business of `ServerModel`. Source: Simperium/Specification.md.
public struct SimperiumServer: Sendable {
    /// A message to a client.
    public struct Reply: Hashable, Sendable {
        /// Number of the connection, as given to ``open(_:app:)``.
        public var connection: Int
        /// The channel; nil for what concerns the connection.
        public var channel: Int?
        /// The message after its channel; shared by all receivers.
        public var body: [UInt8]

        /// The message with its channel.
        public var bytes: [UInt8] { channel.map { Array("\($0):".utf8) + body } ?? body }
        /// The message with its channel.
        public var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// What has to be stored before the replies go out.
    enum Record: Sendable {
        /// A bucket is new, at this change version.
        case opened(ServerModel.BucketID, cv: String)
        /// A change was made.
        case changed(ServerModel.BucketID, SimperiumChange<JSONValue>)
        /// A token was given out.
        case token(String, Account)
    }

    /// What a client answered to the admin.
    enum Report: Sendable {
        /// Its state of a bucket; the payload as sent.
        case index(connection: Int, channel: Int, payload: [UInt8])
        /// A line of its log; the payload as sent.
        case log(connection: Int, payload: [UInt8])
    }

    /// What a real server does now and then, and clients have to cope with.
    public struct Behavior: Hashable, Sendable {
        /// Whether an answer to `cv` has one change for each object, with several `ccids` and an `ev`
        /// more than one above its `sv`.
        public var mergesChanges = false
        /// The error that some changes are answered with, which are not made; nil for none.
        public var changeError: Int?
        /// Of so many changes the last gets the error, at least 1.
        public var changeErrorEvery = 3

        /// A server without trouble.
        public init() {}
    }

    /// Bounds of what clients can make the server keep.
    enum Limit {
        /// The maximum number of issued tokens.
        static let tokens = 100_000
    }

    /// A user of an application who was given a token.
    struct Account: Hashable, Sendable {
        var app: String
        var user: String
    }

    /// An open channel.
    struct Channel: Hashable, Sendable {
        var bucket: ServerModel.BucketID
        var user: String
        var client: String
    }

    /// An open connection.
    struct Peer: Sendable {
        var app: String?
        var channels: [Int: Channel] = [:]
    }

    let accounts: Accounts
    let behavior: Behavior
    /// Changes that clients sent, which decide on ``Behavior/changeError``.
    private var sentChanges = 0
    var tokens: [String: Account] = [:]
    var model = ServerModel(options: SimperiumServer.usualOptions, seed: 0)
    /// The open connections.
    private(set) var peers: [Int: Peer] = [:]
    /// What has to be stored, in order; the storing caller removes it.
    var records: [Record] = []
    /// The answers of clients; the requesting caller removes them.
    var reports: [Report] = []
    private var isSeeded = false

    /// An unused server.
    public init(accounts: Accounts = .open, behavior: Behavior = Behavior()) {
        self.accounts = accounts
        self.behavior = behavior
    }

    /// The options of a bucket; nil where the accounts do not allow it.
    func options(app: String, bucket: String) -> BucketOptions? {
        guard let application = accounts.application(app) else {
            return behaving(Self.usualOptions.bucket)
        }
        return application.options(bucket: bucket).map(behaving)
    }

    private func behaving(_ options: BucketOptions) -> BucketOptions {
        var options = options
        if behavior.mergesChanges { options.aggregation = .answers }
        return options
    }

    /// Those of the model, but for a longer log and a single refusal.
    ///
    /// Clients that are being developed are away for long. `auth:expired`, which old clients got
    /// before a refusal, is taken for a user's name by one of them.
    static var usualOptions: ServerOptions {
        var options = ServerOptions()
        options.bucket.loggedChanges = 1000
        options.legacyRefusal = .never
        return options
    }

    /// A client connected.
    ///
    /// - Parameters:
    ///   - connection: A number that no open connection has.
    ///   - app: Identifier of the application in the path, if any.
    public mutating func open(_ connection: Int, app: String?) {
        peers[connection] = Peer(app: app)
        model.open(SocketID(connection), app: app)
    }

    /// A client disconnected.
    public mutating func close(_ connection: Int) {
        peers[connection] = nil
        model.close(SocketID(connection))
    }

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
        seed(&random)
        let session = SocketID(connection)
        let command = SimperiumCommand.parse(message, from: .client)
        guard let read = SimperiumMessage(command, in: message) else {
            return model.receive(text: message, from: session).flatMap(Self.written)
        }
        let replies: [ServerReply]
        switch read.body {
        case .initialize(let request):
            replies = initialize(request, read, connection)
        case .indexState:
            replies = model.receive(read, from: session)
            if let channel = read.channel, peers[connection] != nil {
                reports.append(
                    .index(
                        connection: connection, channel: channel,
                        payload: Self.payload(message, after: 2)))
            }
        case .log:
            replies = model.receive(read, from: session)
            if peers[connection] != nil {
                reports.append(
                    .log(connection: connection, payload: Self.payload(message, after: 1)))
            }
        case .changes(let changes) where isTroubled(by: changes, on: read.channel, of: connection):
            replies = refusals(of: changes, at: ServerReply.Place(session, read.channel))
        default: replies = model.receive(read, from: session)
        }
        note(replies, read.channel, connection)
        return replies.flatMap(Self.written)
    }

    /// Requests its state from the client of a channel; empty where there is no such channel.
    func askForIndex(_ connection: Int, channel: Int) -> [Reply] {
        guard peers[connection]?.channels[channel] != nil else { return [] }
        return Self.written(model.askForState(SocketID(connection), channel: channel))
    }

    /// Requests its log from a client; empty where there is no such connection.
    func askForLog(_ connection: Int, level: Int) -> [Reply] {
        guard peers[connection] != nil else { return [] }
        return Self.written(model.askForLog(SocketID(connection), level: level))
    }

    /// Discards what would have to be stored, where there is no store.
    mutating func forgetRecords() { records = [] }

    /// Makes change versions unlike those of any other start of a server.
    mutating func seed(_ random: inout some RandomNumberGenerator) {
        // Clients that reconnect to a restarted server must not be taken for known ones.
        if !isSeeded { model.seed = random.next() }
        isSeeded = true
    }

    private mutating func initialize(
        _ request: InitRequest, _ message: SimperiumMessage, _ connection: Int
    ) -> [ServerReply] {
        let app = peers[connection]?.app ?? request.app ?? ""
        let bucket = request.bucket ?? ""
        model.options.bucket =
            options(app: app, bucket: bucket) ?? behaving(Self.usualOptions.bucket)
        let before = model.buckets.count
        var account = ""
        let replies = model.receive(message, from: SocketID(connection)) {
            [accounts, tokens] in
            let admission = Self.admission(of: $0, accounts, tokens)
            if case .admitted(_, let name, _) = admission { account = name }
            return admission
        }
        guard let number = message.channel else { return replies }
        peers[connection]?.channels[number] = nil
        if case .auth(.accepted(let user)) = replies.first?.body {
            let id = ServerModel.BucketID(app: app, account: account, name: bucket)
            peers[connection]?.channels[number] = Channel(
                bucket: id, user: user, client: request.clientID ?? "")
            if model.buckets.count > before {
                records.append(.opened(id, cv: model.buckets[id]?.cv ?? ""))
            }
        }
        return replies
    }

    /// Counts changes, and whether one of them is to be answered with an error.
    private mutating func isTroubled(
        by changes: [SimperiumChange<JSONValue>], on channel: Int?, of connection: Int
    ) -> Bool {
        guard behavior.changeError != nil, let channel, !changes.isEmpty,
            peers[connection]?.channels[channel] != nil
        else { return false }
        let every = max(1, behavior.changeErrorEvery)
        let before = sentChanges / every
        sentChanges += changes.count
        return sentChanges / every > before
    }

    /// The answers to changes that are not made because of trouble of the server's.
    private func refusals(
        of changes: [SimperiumChange<JSONValue>], at place: ServerReply.Place
    ) -> [ServerReply] {
        let client = place.channel.flatMap { peers[place.session.rawValue]?.channels[$0]?.client }
        return changes.prefix(model.options.changes).map { change in
            ServerReply(
                .one(place),
                .changes([
                    SimperiumChange<JSONValue>(
                        key: change.key ?? "", ccids: Array(change.ccids.prefix(16)),
                        clientID: client, error: behavior.changeError)
                ]))
        }
    }

    /// Keeps the changes that were made.
    private mutating func note(_ replies: [ServerReply], _ channel: Int?, _ connection: Int) {
        guard let channel, let bucket = peers[connection]?.channels[channel]?.bucket else { return }
        for reply in replies {
            guard case .everyone = reply.receivers, case .changes(let reported) = reply.body else {
                continue
            }
            for change in reported { records.append(.changed(bucket, change)) }
        }
    }

    private static func admission(
        of request: InitRequest, _ accounts: Accounts, _ tokens: [String: Account]
    ) -> Admission {
        let app = request.app ?? ""
        let user: Accounts.User?
        if accounts.recorded.refusedTokens.contains(request.token ?? "") { return .invalidToken }
        if let account = request.token.flatMap({ tokens[$0] }) {
            // An issued token is valid for its own application alone.
            guard account.app.lowercased() == app.lowercased() else { return .invalidToken }
            user = accounts.user(named: account.user, app: app)
        } else if accounts.isOpen, let name = accounts.recorded.onlyUsers[app.lowercased()],
            IdentifierGrammar.isToken(request.token ?? "")
        {
            user = accounts.user(named: name, app: app)
        } else {
            user = accounts.user(token: request.token ?? "", app: app)
        }
        guard let user, user.isActive else { return .invalidToken }
        guard accounts.application(app)?.options(bucket: request.bucket ?? "") != nil else {
            return .failed("There is no permission for this bucket")
        }
        return .admitted(user: user.name, account: user.account, mayWrite: user.mayWrite)
    }

    /// A reply for each of its receivers, written once for all.
    private static func written(_ reply: ServerReply) -> [Reply] {
        let body = SimperiumMessage(nil, reply.body).encoded(by: .server)
        return reply.places.map { place in
            Reply(connection: place.session.rawValue, channel: place.channel, body: body)
        }
    }

    /// What comes after the given number of colons.
    private static func payload(_ message: [UInt8], after colons: Int) -> [UInt8] {
        var left = colons
        guard
            let index = message.firstIndex(where: { byte in
                if byte == UInt8(ascii: ":") { left -= 1 }
                return left == 0
            })
        else { return [] }
        return Array(message[(index + 1)...])
    }
}
