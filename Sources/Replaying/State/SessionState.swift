internal import Notation
internal import Simperium
public import Wire

/// The state of each side of a session, as far as its messages show.
///
/// A fold of commands and exchanges in their order. Servers are authoritative: an object is what
/// the server sent. The state of a client follows from what it sent and received; what was lost or
/// altered in transit counts for either side as it was there. Memory is bounded by the state.
public struct SessionState: Sendable {
    /// Simperium buckets, in the order in which they were opened.
    public private(set) var allBuckets: [BucketState] = []
    /// What the servers hold of CommCare projects, by domain.
    public internal(set) var domains: [String: DomainState] = [:]
    /// CommCare users with their devices, in the order in which they came.
    public internal(set) var users: [UserState] = []

    private var bucketPlaces: [BucketKey: Int] = [:]
    private var sockets: [ConnectionID: [Int: Channel]] = [:]
    /// Users of Simperium and their applications, by token.
    private(set) var accounts: [ExactText: Account] = [:]
    /// Whether what the servers showed of their past is kept as well.
    let keepsHistory: Bool
    /// Tokens of Simperium that were refused last, with 401.
    private(set) var refusedTokens: Set<ExactText> = []
    /// Values of `Authorization` that CommCare refused last, with the status.
    var refusedCredentials: [ExactText: Int] = [:]
    var order = 0
    /// Commands that belong to no known bucket.
    public private(set) var unassigned = 0
    var directory = UserDirectory()

    private struct BucketKey: Hashable {
        var app: ExactText
        var name: ExactText
        var user: ExactText?
    }

    /// A user of an application of Simperium.
    struct Account: Hashable {
        var app: String
        var user: String
    }

    /// A channel of a socket.
    private struct Channel {
        var app: String
        var name: String
        var client: String
        var token: String?
        /// Place of its bucket.
        var bucket: Int
        /// Place of its client in that.
        var place: Int
        /// The index that the server sends.
        var sending: Ledger.Listing?
        /// The same as the client gets it.
        var receiving: Ledger.Listing?
        /// What the server takes the client to be at.
        var progress = ChannelProgress()
    }

    /// A session without messages so far.
    ///
    /// - Parameter keepsHistory: Whether what the servers showed of their past is kept as well:
    ///   the order of changes, older versions and forms, for ``holdings``.
    public init(keepsHistory: Bool = false) { self.keepsHistory = keepsHistory }

    /// Simperium buckets with known state, in the order in which they were opened.
    public var buckets: [BucketState] { allBuckets.filter { !$0.isEmpty } }

    /// Processes a command that reached its receiver as it was sent.
    ///
    /// - Parameters:
    ///   - id: Its number.
    ///   - socket: The connection it went over.
    ///   - sender: Who sent it.
    ///   - at: When its last byte arrived.
    ///   - text: The command, out of any SockJS frame.
    public mutating func command(
        _ id: CommandID, socket: ConnectionID, sender: Peer, at: Instant, text: [UInt8]
    ) {
        command(id, socket: socket, sender: sender, at: at, sent: text, received: text)
    }

    /// Processes a command that may have been lost, altered or injected in transit.
    ///
    /// - Parameters:
    ///   - id: Its number; nil where no receiver got it.
    ///   - socket: The connection it went over.
    ///   - sender: In whose name it was sent.
    ///   - at: When its last byte arrived.
    ///   - sent: The command as the sender sent it; nil where it did not.
    ///   - received: The command as the receiver got it; nil where it did not.
    public mutating func command(
        _ id: CommandID?, socket: ConnectionID, sender: Peer, at: Instant, sent: [UInt8]?,
        received: [UInt8]?
    ) {
        order += 1
        let moment = CommandMoment(command: id, at: at, order: order)
        let original = sent.map { Parsed($0, sender) }
        let arrived = sent == received ? original : received.map { Parsed($0, sender) }
        if sender == .client {
            if let original {
                clientSent(original, reached: received != nil, socket, moment)
            } else if let arrived {
                serverReceived(arrived, socket)
            }
            // After an init opened the channel.
            if keepsHistory, let arrived { serverGot(arrived, socket) }
        } else {
            if let original { serverSent(original, socket, moment) }
            if let arrived {
                clientReceived(arrived, socket, moment)
            } else if let original {
                clientMissed(original, socket, moment)
            }
        }
    }

    /// A socket is over.
    public mutating func socketEnded(_ socket: ConnectionID, at: Instant) {
        guard let channels = sockets.removeValue(forKey: socket) else { return }
        for channel in channels.values {
            allBuckets[channel.bucket].clients[channel.place].sockets.remove(socket)
        }
    }

    /// A message as it was on one side.
    private struct Parsed {
        var message: [UInt8]
        var command: SimperiumCommand

        init(_ message: [UInt8], _ sender: Peer) {
            self.message = message
            command = SimperiumCommand.parse(message, from: sender)
        }

        /// Bytes of the message.
        func part(_ range: Range<Int>?) -> [UInt8]? {
            range.flatMap { $0.upperBound <= message.count ? Array(message[$0]) : nil }
        }
    }

    /// Where a channel leads: the places of its bucket and of its client in that.
    private func way(_ socket: ConnectionID, _ number: Int) -> (bucket: Int, place: Int)? {
        // The whole channel would keep the pages of its index from being added to in place.
        guard let place = sockets[socket]?[number]?.place,
            let bucket = sockets[socket]?[number]?.bucket
        else { return nil }
        return (bucket, place)
    }

    // MARK: Commands of clients

    private mutating func clientSent(
        _ parsed: Parsed, reached: Bool, _ socket: ConnectionID, _ moment: CommandMoment
    ) {
        guard let number = parsed.command.channel else { return }
        if case .initialize(let request) = parsed.command.body {
            return open(request, socket, number)
        }
        guard let channel = way(socket, number) else {
            unassigned += 1
            return
        }
        switch parsed.command.body {
        case .changes(let changes):
            allBuckets[channel.bucket].clientSent(
                channel.place, changes, parsed.message, reached: reached, moment)
        case .indexRequest(let request) where request.mark == nil:
            begin(socket, number)
        case .indexState(let state):
            allBuckets[channel.bucket].clientReported(channel.place, state, moment)
        default: break
        }
    }

    /// Something delayed reached the server.
    private mutating func serverReceived(_ parsed: Parsed, _ socket: ConnectionID) {
        guard let number = parsed.command.channel, let channel = way(socket, number),
            case .changes(let changes) = parsed.command.body
        else { return }
        allBuckets[channel.bucket].serverReceived(channel.place, changes)
    }

    private mutating func begin(_ socket: ConnectionID, _ number: Int) {
        sockets[socket]?[number]?.sending = Ledger.Listing(since: order)
        sockets[socket]?[number]?.receiving = Ledger.Listing(since: order)
    }

    private mutating func open(_ request: InitRequest, _ socket: ConnectionID, _ number: Int) {
        leave(socket, number)
        let client = request.clientID ?? "socket \(socket)"
        let user = request.token.flatMap { accounts[ExactText($0)]?.user }
        let bucket = place(request.app ?? "", request.bucket ?? "", user)
        let place = allBuckets[bucket].place(of: client)
        allBuckets[bucket].clients[place].sockets.insert(socket)
        sockets[socket, default: [:]][number] = Channel(
            app: request.app ?? "", name: request.bucket ?? "", client: client,
            token: request.token, bucket: bucket, place: place)
        if case .index(let index)? = request.request, index.mark == nil { begin(socket, number) }
    }

    private mutating func leave(_ socket: ConnectionID, _ number: Int) {
        guard let old = sockets[socket]?.removeValue(forKey: number) else { return }
        let isElsewhere = sockets[socket]?.values.contains {
            $0.bucket == old.bucket && $0.place == old.place
        }
        if isElsewhere != true {
            allBuckets[old.bucket].clients[old.place].sockets.remove(socket)
        }
    }

    private mutating func place(_ app: String, _ name: String, _ user: String?) -> Int {
        let key = BucketKey(
            app: ExactText(app), name: ExactText(name), user: user.map(ExactText.init))
        if let place = bucketPlaces[key] { return place }
        bucketPlaces[key] = allBuckets.count
        var bucket = BucketState(app: app, name: name, user: user)
        if keepsHistory { bucket.history = BucketHistory() }
        allBuckets.append(bucket)
        return allBuckets.count - 1
    }

    /// The server sent the user of a channel.
    private mutating func accept(_ user: String, _ socket: ConnectionID, _ number: Int) {
        guard let channel = sockets[socket]?[number] else { return }
        if let token = channel.token {
            accounts[ExactText(token)] = Account(app: channel.app, user: user)
            refusedTokens.remove(ExactText(token))
        }
        let bucket = place(channel.app, channel.name, user)
        guard bucket != channel.bucket else { return }
        let place = allBuckets[bucket].place(of: channel.client)
        allBuckets[channel.bucket].clients[channel.place].sockets.remove(socket)
        allBuckets[bucket].clients[place].sockets.insert(socket)
        // What it sent before it was authorised moves with it.
        let early = allBuckets[channel.bucket].clients[channel.place].unacknowledged
        allBuckets[channel.bucket].clients[channel.place].unacknowledged = [:]
        for (key, changes) in early {
            allBuckets[bucket].clients[place].unacknowledged[key, default: []] += changes
            for change in changes { allBuckets[bucket].awaiting[ExactText(change.ccid)] = place }
        }
        sockets[socket]?[number]?.bucket = bucket
        sockets[socket]?[number]?.place = place
    }

    // MARK: Commands of servers

    private mutating func serverSent(
        _ parsed: Parsed, _ socket: ConnectionID, _ moment: CommandMoment
    ) {
        guard let number = parsed.command.channel else { return }
        guard let channel = way(socket, number) else {
            unassigned += 1
            return
        }
        if keepsHistory { follow(parsed, socket, number, channel.bucket) }
        switch parsed.command.body {
        case .auth(.accepted(let user)): accept(user, socket, number)
        case .auth(.refused(401?, _)):
            guard keepsHistory, let token = sockets[socket]?[number]?.token else { return }
            refusedTokens.insert(ExactText(token))
        case .changes(let changes):
            allBuckets[channel.bucket].serverSent(changes, parsed.message, moment)
        case .entity(let reply):
            guard let data = reply.data, data.upperBound <= parsed.message.count else { return }
            allBuckets[channel.bucket].serverSent(
                reply.key, reply.version, Array(parsed.message[data]), moment)
        case .indexPage(let page):
            allBuckets[channel.bucket].serverSent(current: page.current)
            var listing = sockets[socket]?[number]?.sending
            sockets[socket]?[number]?.sending = nil
            for entry in page.entries {
                guard let key = entry.key, let version = entry.version else { continue }
                listing?.keys.insert(ExactText(key))
                allBuckets[channel.bucket].serverSent(
                    key, version, parsed.part(entry.data), moment)
            }
            if page.mark == nil {
                if let listing { allBuckets[channel.bucket].serverSent(endOf: listing) }
            } else {
                sockets[socket]?[number]?.sending = listing
            }
        case .unknownMark: sockets[socket]?[number]?.sending = nil
        default: break
        }
    }

    // MARK: The order of changes

    /// The server got a command of a client.
    private mutating func serverGot(_ parsed: Parsed, _ socket: ConnectionID) {
        guard let number = parsed.command.channel else { return }
        sockets[socket]?[number]?.progress.got(parsed.command.body)
    }

    /// Takes the order of changes from what the server sends on a channel.
    private mutating func follow(
        _ parsed: Parsed, _ socket: ConnectionID, _ number: Int, _ bucket: Int
    ) {
        guard var progress = sockets[socket]?[number]?.progress else { return }
        let changes = progress.sent(parsed.command.body)
        sockets[socket]?[number]?.progress = progress
        for (previous, change) in changes {
            let whole = allBuckets[bucket].named(SimperiumChange(change, in: parsed.message))
            allBuckets[bucket].history?.note(whole, after: previous)
        }
    }

    private mutating func clientReceived(
        _ parsed: Parsed, _ socket: ConnectionID, _ moment: CommandMoment
    ) {
        guard let number = parsed.command.channel, let channel = way(socket, number) else {
            return
        }
        switch parsed.command.body {
        // What follows it in the same bytes is received before the row of what was sent.
        case .auth(.accepted(let user)) where allBuckets[channel.bucket].user == nil:
            accept(user, socket, number)
        case .auth(.refused), .auth(.expired): leave(socket, number)
        case .changes(let changes):
            allBuckets[channel.bucket].clientReceived(
                channel.place, changes, parsed.message, moment)
        case .entity(let reply):
            guard let data = parsed.part(reply.data) else { return }
            allBuckets[channel.bucket].clientReceived(
                channel.place, reply.key, reply.version, data, moment)
        case .indexPage(let page):
            var listing = sockets[socket]?[number]?.receiving
            sockets[socket]?[number]?.receiving = nil
            if listing?.current == nil { listing?.current = page.current }
            for entry in page.entries {
                guard let key = entry.key else { continue }
                listing?.keys.insert(ExactText(key))
                guard let version = entry.version, let data = parsed.part(entry.data) else {
                    continue
                }
                allBuckets[channel.bucket].clientReceived(
                    channel.place, key, version, data, moment)
            }
            if page.mark == nil {
                if let listing {
                    allBuckets[channel.bucket].clientReceived(channel.place, endOf: listing)
                }
            } else {
                sockets[socket]?[number]?.receiving = listing
            }
        case .unknownMark: sockets[socket]?[number]?.receiving = nil
        default: break
        }
    }

    private mutating func clientMissed(
        _ parsed: Parsed, _ socket: ConnectionID, _ moment: CommandMoment
    ) {
        guard let number = parsed.command.channel, let channel = way(socket, number),
            case .changes(let changes) = parsed.command.body
        else { return }
        allBuckets[channel.bucket].clientMissed(channel.place, changes, moment)
    }
}
