public import Wire

/// Plays the server of recorded Simperium sessions to live clients.
///
/// Each channel of a live client is paired with a recorded one when it is opened: same bucket, same
/// `init` by meaning. From then on its commands are compared with those of the recorded channel in
/// their order, while channels do not wait for each other. What the server sent after a command is
/// sent when that command was received; so are its unsolicited messages, after the commands that
/// they followed. A change of another recorded client waits until that client has made it, where
/// that client is connected (``waitsForAbsent``). Sockets that open alike are paired in their
/// order.
///
/// With ``Mode/model`` the buckets on which a client deviates from the recording are taken over by
/// a `ServerModel`.
///
/// Identifiers that clients choose are bound on the way (``Bindings``) and rewritten in everything
/// that is sent. Heartbeats are answered with the next number and, like lines of a log, neither
/// missed nor left over. Reads no clock: times are those of the events.
public struct SimperiumReplay: Sendable {
    /// What happens when a command has no counterpart.
    public enum Mode: Hashable, Sendable {
        /// It is the end.
        case strict
        /// It stays without answer, or the recorded commands before its counterpart are skipped.
        case lenient
        /// A model of the server takes the bucket over, with what the recording implies of it: all
        /// channels that are open on it, on all sockets, and those that are opened later.
        case model
    }

    /// Fetches the text of a recorded command; nil is an empty one.
    public typealias Fetch = @Sendable (CommandID) -> [UInt8]?

    /// The commands of a recorded channel, or those of a connection.
    struct Stream {
        /// Place of the recorded socket.
        let socket: Int
        /// The recorded channel; nil for commands of the connection.
        let channel: Int?
        /// Places of what the client sent.
        var client: [Int32] = []
        /// Places of what the server sent.
        var server: [Int32] = []
        /// For each of ``server`` the number of client commands that it waits for: of the channel,
        /// or, of the connection, those of all channels.
        var gates: [Int32] = []
        var nextClient = 0
        var nextServer = 0

        /// Reserves memory for this many commands of each side.
        mutating func reserve(_ client: Int, _ server: Int) {
            self.client.reserveCapacity(client)
            self.server.reserveCapacity(server)
            gates.reserveCapacity(server)
        }

        /// Live channel.
        var live: Int?
        var bucket = ""
        /// When the last command is due.
        var due = Instant.zero
    }

    /// A recorded socket and how far it is.
    struct Socket {
        let id: ConnectionID
        let end: RecordedSocket.End?
        /// Places of its channels, in the order of their first command.
        var channels: [Int] = []
        /// Place of what belongs to no channel.
        var connection: Int?
        /// For each heartbeat whether it was answered.
        var beats: [Bool] = []
        /// Client commands that were matched or skipped.
        var done = 0
        /// Client commands in all.
        var count = 0
        /// The live socket; nil before and after.
        var live: Int?
        var wasPlayed = false
        /// Whether waiting for it timed out.
        var isMissing = false

        /// Whether it may still connect, as far as is known.
        var mayCome: Bool { !wasPlayed && !isMissing }
    }

    /// A live socket.
    struct Live {
        /// Place of the recorded socket that it plays.
        var socket: Int?
        /// Places of recorded channels by live ones.
        var channels: [Int: Int] = [:]
        var beats = 0
    }

    /// What happens when a command has no counterpart.
    public let mode: Mode
    /// How fast recorded time passes.
    public let pace: ReplayPace
    /// Whether changes of recorded clients that did not connect yet are waited for.
    ///
    /// With one live client for a recording of several they would never arrive.
    public let waitsForAbsent: Bool
    let commands: RecordedCommands
    let fetch: Fetch
    var streams: [Stream] = []
    var sockets: [Socket] = []
    /// Recorded client command that makes a change, by its `ccid`.
    var authors: ChangeAuthors
    private var hasPassedOverLost = false
    /// Channels that wait for a change, by its recorded `ccid`.
    var waiting: [String: [Int]] = [:]
    /// Channels that wait for their own client, on any channel, by the place of its socket.
    var heldBack: [Int: Set<Int>] = [:]
    var lives: [Int: Live] = [:]
    var isDone: [Bool]
    /// Place of the recorded channel of each client command.
    var streamOf: [Int32]
    /// The model, once one is needed.
    var takeover: BucketModel?
    /// Users by tokens that a model gave out.
    var introduced: [String: String] = [:]
    /// Recorded client commands that are no longer waited for since a model took over.
    var relinquishedPlaces: Set<Int32> = []
    let seed: UInt64

    /// Identifiers of the live clients, mapped to the recorded ones.
    public internal(set) var bindings = Bindings()
    /// Commands that had their counterpart; heartbeats and lines of logs are not counted.
    public internal(set) var matched = 0
    /// Recorded commands that a lenient replay skipped.
    public internal(set) var passedOver = 0
    /// Commands that had none.
    public internal(set) var missed = 0
    /// The first misses, at most ``maxMisses``.
    public internal(set) var misses: [SimperiumMiss] = []
    /// Recorded server commands that were sent.
    public internal(set) var sent = 0
    /// Whether a strict replay met a command without counterpart.
    public internal(set) var isStopped = false
    /// Number of recorded client commands, without heartbeats and lines of logs.
    public private(set) var recorded = 0
    /// Commands that a model took.
    public internal(set) var modelled = 0
    /// The first buckets that a model took over, at most ``maxMisses``.
    public internal(set) var handOvers: [SimperiumHandOver] = []

    /// Misses that are kept.
    public static let maxMisses = 1_000
    /// Recorded commands of a channel that are inspected beyond the next one.
    static let lookahead = 64

    /// The replay of recorded commands.
    ///
    /// - Parameters:
    ///   - commands: Of all sockets, in the order of the recording.
    ///   - sockets: How sockets ended; those that are not named ended with their client.
    ///   - mode: What happens when a command has no counterpart.
    ///   - pace: How fast recorded time passes.
    ///   - waitsForAbsent: Whether all recorded clients are expected to connect.
    ///   - seed: Decides the change versions of a model; another one for each replay, so that
    ///     clients that reconnect do not take them for those they have.
    ///   - fetch: Gives the text of a recorded command.
    public init(
        _ commands: RecordedCommands, sockets: [RecordedSocket] = [], mode: Mode = .strict,
        pace: ReplayPace = .asFastAsPossible, waitsForAbsent: Bool = false, seed: UInt64 = 0,
        fetch: @escaping Fetch
    ) {
        self.commands = commands
        authors = ChangeAuthors(commands)
        self.mode = mode
        self.pace = pace
        self.waitsForAbsent = waitsForAbsent
        self.seed = seed
        self.fetch = fetch
        isDone = Array(repeating: false, count: commands.count)
        streamOf = Array(repeating: -1, count: commands.count)
        let ends = Dictionary(sockets.map { ($0.id, $0.endForClient) }, uniquingKeysWith: { $1 })
        index(ends)
    }

    /// The replay of recorded commands, of all sockets and in the order of the recording.
    public init(
        _ commands: [RecordedCommand], sockets: [RecordedSocket] = [], mode: Mode = .strict,
        pace: ReplayPace = .asFastAsPossible, waitsForAbsent: Bool = false, seed: UInt64 = 0,
        fetch: @escaping Fetch
    ) {
        self.init(
            RecordedCommands(commands), sockets: sockets, mode: mode, pace: pace,
            waitsForAbsent: waitsForAbsent, seed: seed, fetch: fetch)
    }

    private mutating func index(_ ends: [ConnectionID: RecordedSocket.End?]) {
        let names = commands.names
        let heartbeat = names.firstIndex(of: "h").map { UInt32($0) }
        let log = names.firstIndex(of: "log").map { UInt32($0) }
        // Of each stream of the commands the place of its socket, and its own once it has one.
        var places: [ConnectionID: Int] = [:]
        var routes = commands.streams.map { recorded in
            let socket = places[recorded.socket] ?? sockets.count
            if socket == sockets.count {
                places[recorded.socket] = socket
                sockets.append(Socket(id: recorded.socket, end: ends[recorded.socket] ?? nil))
            }
            return (socket: socket, channel: recorded.channel, stream: nil as Int?)
        }
        var counts = Array(repeating: (client: 0, server: 0), count: routes.count)
        for index in commands.indices {
            if commands.sender(at: index) == .client {
                counts[commands.stream(at: index)].client += 1
            } else {
                counts[commands.stream(at: index)].server += 1
            }
        }
        for index in commands.indices {
            let place = Int32(truncatingIfNeeded: index)
            let number = commands.stream(at: index)
            let (socket, channel, known) = routes[number]
            let isFromClient = commands.sender(at: index) == .client
            if channel == nil {
                let name = commands.name(at: index)
                if name == heartbeat {
                    beat(socket, isFromClient)
                    continue
                }
                // As in ``RecordedCommand/isFree``.
                if name == log, isFromClient { continue }
            }
            let stream = known ?? streams.count
            if stream == streams.count {
                routes[number].stream = stream
                streams.append(Stream(socket: socket, channel: channel))
                streams[stream].reserve(counts[number].client, counts[number].server)
                if channel == nil {
                    sockets[socket].connection = stream
                } else {
                    sockets[socket].channels.append(stream)
                }
            }
            if isFromClient {
                streams[stream].client.append(place)
                streamOf[index] = Int32(truncatingIfNeeded: stream)
                sockets[socket].count += 1
                recorded += 1
                for ccid in commands.ccidNumbers(at: index) { authors.insert(ccid, place) }
            } else {
                streams[stream].server.append(place)
                let gate = channel == nil ? sockets[socket].count : streams[stream].client.count
                streams[stream].gates.append(Int32(truncatingIfNeeded: gate))
            }
        }
    }

    /// Notes a recorded heartbeat, or its answer.
    private mutating func beat(_ socket: Int, _ isFromClient: Bool) {
        if isFromClient {
            sockets[socket].beats.append(false)
        } else if !sockets[socket].beats.isEmpty {
            sockets[socket].beats[sockets[socket].beats.count - 1] = true
        }
    }

    /// Has those be the authors of changes whose commands the recorded server got.
    ///
    /// Scans the whole recording: not while it is opened, but once a client connects.
    private mutating func passOverLost() {
        guard authors.hasRepeated, !hasPassedOverLost else { return }
        hasPassedOverLost = true
        let lost = LostCommands.find(in: commands, readsAll: false, fetch: fetch)
        guard !lost.isEmpty else { return }
        authors = ChangeAuthors(commands)
        for isLost in [false, true] {
            for index in commands.indices
            where commands.sender(at: index) == .client
                && lost.contains(commands.id(at: index)) == isLost
            {
                for ccid in commands.ccidNumbers(at: index) {
                    authors.insert(ccid, Int32(truncatingIfNeeded: index))
                }
            }
        }
    }

    /// Recorded client commands that did not come, without heartbeats and lines of logs, nor those
    /// that a model made needless.
    public var unused: Int { recorded - matched - relinquished }

    /// Recorded client commands that are no longer waited for since a model took over.
    public var relinquished: Int { relinquishedPlaces.count }

    /// The first recorded client commands that did not come, in order.
    public func unused(limit: Int) -> [RecordedCommand] {
        var found: [RecordedCommand] = []
        for (index, command) in commands.enumerated()
        where command.sender == .client && !command.isFree && !isDone[index]
            && !relinquishedPlaces.contains(Int32(truncatingIfNeeded: index))
        {
            guard found.count < limit else { break }
            found.append(command)
        }
        return found
    }

    /// What a recorded client command is, on one line and without tokens.
    public func line(of command: RecordedCommand) -> String {
        ClientCommand(fetch(command.id) ?? []).line
    }

    /// Processes an event and returns the commands for it, in order.
    ///
    /// - Parameters:
    ///   - event: What happens.
    ///   - now: When; never before the event before.
    /// - Returns: Commands; after ``ReplayCommand/stop(_:)`` there are no further ones.
    public mutating func handle(_ event: SimperiumReplayEvent, at now: Instant) -> [ReplayCommand] {
        guard !isStopped else { return [] }
        passOverLost()
        switch event {
        case .opened(let socket):
            if lives[socket] == nil { lives[socket] = Live() }
            return []
        case .closed(let socket): return close(socket, at: now)
        case .received(let socket, let text): return receive(text, on: socket, at: now)
        case .nothingCame: return goOnWithoutAbsent(at: now)
        }
    }

    func text(_ place: Int32) -> [UInt8] { fetch(commands[Int(place)].id) ?? [] }
}
