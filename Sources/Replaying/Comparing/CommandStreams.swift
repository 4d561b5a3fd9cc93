internal import Simperium
internal import Wire

/// What is compared of a session: a command, or one change of a `c`.
struct ComparedCommand: Hashable, Sendable {
    /// Place of the command.
    var place: Int32
    /// Bytes of the one change in the text of the command; nil for all of it.
    var change: Range<Int32>?

    /// The text: of a change, as if it had been sent alone.
    func text(in session: ComparedSession) -> [UInt8] {
        let text = session.text(session.commands.id(at: Int(place))) ?? []
        guard let change, Int(change.upperBound) <= text.count else { return text }
        return Array("0:c:[".utf8) + text[Int(change.lowerBound)..<Int(change.upperBound)]
            + Array("]".utf8)
    }
}

/// The commands of a channel of a socket, or those of its connection; or the changes of a client of
/// a bucket on all its connections.
struct CommandStream {
    var socket: ConnectionID
    /// Application and bucket; empty for commands of the connection.
    var bucket = ""
    var client: String?
    /// Whether these are changes alone, of all connections of the client.
    var isOfAll = false
    /// What each side sent, in order: the client's, the server's.
    var commands: [[ComparedCommand]] = [[], []]
}

/// The streams of a session.
///
/// Where a connection is cut, some messages before it are lost and some answers come with the next
/// connection instead: when exactly is chance. So the changes of a client that connects more than
/// once are one stream, each once, however often they were sent.
struct CommandStreams {
    private(set) var all: [CommandStream] = []
    private let session: ComparedSession

    /// One stream for each channel, in order.
    init(_ session: ComparedSession) {
        self.session = session
        struct Route: Hashable {
            var socket: ConnectionID
            var channel: Int?
        }
        var numbers: [Route: Int] = [:]
        for (place, command) in session.commands.enumerated() where !command.isFree {
            guard command.name != "h" else { continue }
            let route = Route(socket: command.socket, channel: command.channel)
            let number: Int
            if let known = numbers[route] {
                number = known
            } else {
                number = all.count
                numbers[route] = number
                all.append(CommandStream(socket: command.socket))
            }
            if command.name == "init", all[number].bucket.isEmpty,
                case .initialize(let request) = SimperiumCommand.parse(
                    session.text(command.id) ?? [], from: .client
                ).body
            {
                let app = request.app.map { " of \(OneLine.text($0))" } ?? ""
                all[number].bucket = OneLine.text(request.bucket ?? "") + app
                all[number].client = request.clientID
            }
            all[number].commands[command.sender.rawValue].append(
                ComparedCommand(place: Int32(truncatingIfNeeded: place)))
        }
    }

    /// Buckets that a client opened on more than one connection.
    var reopened: Set<String> {
        var sockets: [[String]: Set<ConnectionID>] = [:]
        for stream in all {
            if let client = stream.client {
                sockets[[stream.bucket, client], default: []].insert(stream.socket)
            }
        }
        return Set(sockets.filter { $0.value.count > 1 }.keys.map { $0[0] })
    }

    /// Takes the changes of each client of these buckets together, as ``CommandStreams`` says.
    mutating func join(_ buckets: Set<String>) {
        guard !buckets.isEmpty else { return }
        var clients: [[String]: ClientChanges] = [:]
        var order: [[String]] = []
        for place in all.indices where buckets.contains(all[place].bucket) {
            guard let client = all[place].client else { continue }
            let name = [all[place].bucket, client]
            if clients[name] == nil {
                order.append(name)
                var stream = CommandStream(socket: all[place].socket)
                (stream.bucket, stream.client, stream.isOfAll) = (name[0], client, true)
                clients[name] = ClientChanges(stream: stream)
            }
            clients[name]?.take(&all[place], of: session)
        }
        all += order.compactMap { clients[$0]?.stream }
    }
}

/// The changes of a client on all its connections, one connection after the other.
private struct ClientChanges {
    private(set) var stream: CommandStream
    /// `ccid` of what the client, and `cv` of what the server sent on earlier connections.
    private var sent: Set<String> = []
    private var received: Set<String> = []
    private var isFirst = true

    init(stream: CommandStream) { self.stream = stream }

    /// Takes the changes out of the next connection.
    mutating func take(_ connection: inout CommandStream, of session: ComparedSession) {
        var (nowSent, nowReceived): (Set<String>, Set<String>) = ([], [])
        for sender in Peer.allCases {
            var rest: [ComparedCommand] = []
            var isAsking = false
            for command in connection.commands[sender.rawValue] {
                let name = session.commands[Int(command.place)].name
                guard name == "c" else {
                    // One that waits for its answer may ask twice.
                    let isRepeated = sender == .client && name == "cv" && isAsking
                    isAsking = name == "cv"
                    if !isRepeated { rest.append(command) }
                    continue
                }
                isAsking = false
                let text = session.text(session.commands.id(at: Int(command.place))) ?? []
                let parsed = SimperiumCommand.parse(text, from: sender)
                guard case .changes(let changes) = parsed.body, !changes.isEmpty else {
                    // Nothing new since the last connection.
                    if isFirst { rest.append(command) }
                    continue
                }
                for change in changes {
                    let identity = sender == .client ? change.ccids.first : change.cv
                    if let identity {
                        if (sender == .client ? sent : received).contains(identity) { continue }
                        if sender == .client {
                            nowSent.insert(identity)
                        } else {
                            nowReceived.insert(identity)
                        }
                    } else if change.error == 409, change.ccids.contains(where: sent.contains) {
                        // It had what was sent before the connection was lost.
                        continue
                    }
                    stream.commands[sender.rawValue].append(
                        ComparedCommand(
                            place: command.place,
                            change: Int32(
                                clamping: change.range.lowerBound)..<Int32(
                                    clamping: change.range.upperBound)))
                }
            }
            connection.commands[sender.rawValue] = rest
        }
        sent.formUnion(nowSent)
        received.formUnion(nowReceived)
        isFirst = false
    }
}
