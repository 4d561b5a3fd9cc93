import Framing
import Interception
public import Wire

/// Decides what becomes of the bytes of one client connection.
///
/// A value without I/O: events of sockets go in, commands for sockets and rows for the trace come
/// out. What a peer sent is passed on as it was, apart from the rewrites of ``Patch/Reason``.
///
/// The connection begins undecided. Its first byte says whether TLS, HTTP or something else is
/// spoken, and the same question is asked again inside a tunnel that CONNECT opened. As HTTP it is
/// framed on the side, to find the server of each request and to keep answers in the order of
/// the requests: a request for another server than the one before waits until every earlier one is
/// answered. After a change of protocol, or when it can not be framed, bytes pass unread.
public struct Relay {
    /// What is spoken on the client's leg.
    enum Phase {
        /// Nothing came since the connection, or the tunnel in it, was opened.
        case start
        /// TLS: the ClientHello is being gathered.
        case hello([UInt8])
        /// The client's handshake is under way.
        case securing
        case http
        /// A CONNECT waits for its leg.
        case connecting(LegID)
        /// Bytes pass unread; whether they are recorded.
        case raw(LegID, isRecorded: Bool)
        case closed
    }

    let connection: ConnectionRow
    let clientLeg: LegRow
    let settings: RelaySettings
    let nextLeg: () -> LegID

    var phase: Phase = .start
    /// The server that all requests go to: that of a reverse proxy or of a tunnel.
    var fixed: ServerAddress?
    /// Whether ``fixed`` came from a CONNECT.
    var isTunnel = false
    var isClientTLS = false
    var hasClientEnded = false
    /// Whether the client was told that nothing more will come.
    var hasEndedClient = false
    var isClientClosed = false
    var isClientPaused = false
    /// Whether everything is to be reset, or closed, as soon as a server has what it is to get; nil
    /// where it is not.
    var cutWhenReady: Bool?
    /// Whether connection and client leg are in the trace.
    private var isAnnounced = false

    var requests = HTTPFramer(role: .request)
    var scan = MessageScan()
    var legs: [RelayLeg] = []
    var current: LegID?
    var outstanding: [RelayRequest] = []
    /// A request that waits for earlier ones, and what follows it in the same read.
    var blocked: BlockedRequest?
    /// Reads that wait behind it, or behind a request to change the protocol.
    var backlog: [HeldBytes] = []
    var isAwaitingSwitch = false

    /// A relay for one accepted connection.
    ///
    /// - Parameters:
    ///   - connection: What the trace says about the connection.
    ///   - clientLeg: What the trace says about the client's leg.
    ///   - settings: What to do with what passes.
    ///   - nextLeg: Gives a leg number that nobody else has.
    public init(
        connection: ConnectionRow, clientLeg: LegRow, settings: RelaySettings,
        nextLeg: @escaping () -> LegID
    ) {
        self.connection = connection
        self.clientLeg = clientLeg
        self.settings = settings
        self.nextLeg = nextLeg
        if case .reverse(let server) = settings.mode { fixed = server }
    }

    /// Takes what happened at `at` and says what to do, in order.
    public mutating func handle(
        _ event: RelayEvent, at: Instant, into commands: inout [RelayCommand]
    ) {
        switch event {
        case .received(let leg, let bytes):
            received(leg, bytes, .peer, at, &commands)
        case .made(let leg, let bytes):
            received(leg, bytes, .tapedeck, at, &commands)
        case .altered(let leg, let bytes, let others):
            alter(leg, bytes, by: others, at, &commands)
        case .kept(let leg, let bytes, let others):
            keep(leg, bytes, readAs: others, at, &commands)
        case .answered(let bytes, let closes):
            answerLocally(LocalAnswer(bytes: bytes, closes: closes), at, &commands)
        case .swallowed:
            if !outstanding.isEmpty { outstanding.removeFirst() }
            settle(at, &commands)
        case .cut(let isReset):
            cut(isReset: isReset, &commands)
        case .finished(let sender):
            if sender == .server { endClient(&commands) } else { endServers(&commands) }
        case .woke:
            return
        case .ready(let leg):
            legIsReady(leg, at, &commands)
        case .refused(let leg, let why):
            legWasRefused(leg, why, at, &commands)
        case .declined(let leg, let refusal):
            legWasRefused(leg, refusal.says, as: refusal, at, &commands)
        case .ended(let leg):
            if leg == clientLeg.id {
                clientEnded(at, &commands)
            } else {
                serverEnded(leg, at, &commands)
            }
        case .closed(let leg, let isReset, let why):
            if leg == clientLeg.id {
                clientClosed(isReset, why, at, &commands)
            } else {
                serverClosed(leg, isReset, why, at, &commands)
            }
        case .clientSecured:
            isClientTLS = true
            phase = .http
        case .noted(let leg, let kind, let says):
            guard isRecorded(leg) else { return }
            record(kind, leg: leg, at: at, says: says, &commands)
        }
        if cutWhenReady != nil { finishCut(&commands) }
    }

    /// Whether what happens to a leg is written to the trace: with `--only`, the client's leg counts
    /// once it is known that a recorded host is meant.
    func isRecorded(_ leg: LegID) -> Bool {
        guard leg == clientLeg.id else {
            return legs.first { $0.id == leg }?.isRecorded ?? settings.only.isEmpty
        }
        return settings.only.isEmpty || legs.contains(where: \.isRecorded)
            || fixed.map { settings.records($0.host) } == true
    }

    /// Writes a row, and before the first one what the connection is.
    mutating func record(_ row: Record, _ commands: inout [RelayCommand]) {
        if !isAnnounced {
            isAnnounced = true
            commands.append(.record(.connection(connection)))
            commands.append(.record(.leg(clientLeg)))
        }
        commands.append(.record(row))
    }

    /// Writes an event about a leg.
    mutating func record(
        _ kind: EventRow.Kind, leg: LegID?, at: Instant, says: String,
        _ commands: inout [RelayCommand]
    ) {
        record(
            .event(EventRow(kind, connection: connection.id, leg: leg, at: at, says: says)),
            &commands)
    }

    /// Writes a chunk.
    mutating func recordChunk(
        _ bytes: ArraySlice<UInt8>, patches: [Patch], leg: LegID, sender: Peer, at: Instant,
        origin: Chunk.Origin = .peer, _ commands: inout [RelayCommand]
    ) {
        record(
            .chunk(
                Chunk(
                    connection: connection.id, leg: leg, sender: sender, origin: origin, at: at,
                    bytes: Array(bytes), patches: patches)), &commands)
    }

    // MARK: The client's bytes

    private mutating func received(
        _ leg: LegID, _ bytes: [UInt8], _ origin: Chunk.Origin, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        guard !bytes.isEmpty else { return }
        if leg == clientLeg.id {
            clientSent(bytes, origin, at, &commands)
        } else {
            serverSent(leg, bytes, origin, at, &commands)
        }
    }

    private mutating func clientSent(
        _ bytes: [UInt8], _ origin: Chunk.Origin, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        switch phase {
        case .start:
            decide(bytes, at, &commands)
        case .hello(let held):
            gatherHello(held + bytes, at, &commands)
        case .securing, .connecting:
            hold(HeldBytes(bytes: bytes[...], at: at, start: 0), &commands)
        case .http:
            let read = HeldBytes(bytes: bytes[...], at: at, start: 0, origin: origin)
            if blocked != nil || isAwaitingSwitch {
                hold(read, &commands)
            } else {
                readRequests(read, &commands)
            }
        case .raw(let leg, let isRecorded):
            if isRecorded {
                recordChunk(
                    bytes[...], patches: [], leg: clientLeg.id, sender: .client, at: at,
                    origin: origin, &commands)
            }
            send(bytes, on: leg, &commands)
        case .closed:
            return
        }
    }

    /// Asks the first byte what is spoken.
    mutating func decide(_ bytes: [UInt8], _ at: Instant, _ commands: inout [RelayCommand]) {
        guard let first = bytes.first else { return }
        if StartOfStream.isTLS(first) {
            gatherHello(bytes, at, &commands)
        } else if StartOfStream.isHTTP(first) {
            phase = .http
            readRequests(HeldBytes(bytes: bytes[...], at: at, start: 0), &commands)
        } else {
            passUnread(bytes, at, &commands)
        }
    }

    /// Lets bytes that are no protocol of ours through to the only server there is.
    mutating func passUnread(_ bytes: [UInt8], _ at: Instant, _ commands: inout [RelayCommand]) {
        guard let fixed else {
            answer(
                400, "Bad Request",
                "tapedeck: this is an HTTP proxy, and what was sent is no HTTP request", at,
                &commands)
            return
        }
        let isRecorded = settings.records(fixed.host)
        let leg = current ?? openLeg(fixed, at, isRecorded: isRecorded, &commands)
        if isRecorded {
            record(
                .raw, leg: clientLeg.id, at: at, says: "no HTTP and no TLS; relayed unread",
                &commands)
            recordChunk(
                bytes[...], patches: [], leg: clientLeg.id, sender: .client, at: at, &commands)
        }
        phase = .raw(leg, isRecorded: isRecorded)
        send(bytes, on: leg, &commands)
    }

    /// Keeps a read until it can be looked at, and stops reading.
    mutating func hold(_ read: HeldBytes, _ commands: inout [RelayCommand]) {
        backlog.append(read)
        pauseClient(&commands)
    }

    /// Tells the client that nothing more will come.
    mutating func endClient(_ commands: inout [RelayCommand]) {
        guard !hasEndedClient else { return }
        hasEndedClient = true
        commands.append(.end(clientLeg.id))
    }

    mutating func pauseClient(_ commands: inout [RelayCommand]) {
        guard !isClientPaused else { return }
        isClientPaused = true
        commands.append(.pauseClient)
    }

    mutating func resumeClient(_ commands: inout [RelayCommand]) {
        guard isClientPaused else { return }
        isClientPaused = false
        commands.append(.resumeClient)
    }

    /// Answers in the server's name and closes, since what follows can not be trusted.
    mutating func answer(
        _ status: Int, _ reason: String, _ text: String, _ at: Instant,
        closes: Bool = true, _ commands: inout [RelayCommand]
    ) {
        let body = text + "\n"
        let bytes = Array(
            """
            HTTP/1.1 \(status) \(reason)\r
            Date: \(settings.clock.date(at: at))\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            \(status == 503 ? "Retry-After: 10\r\n" : "")\(closes ? "Connection: close\r\n" : "")\r
            \(body)
            """.utf8)
        recordChunk(
            bytes[...], patches: [], leg: clientLeg.id, sender: .server, at: at,
            origin: .tapedeck, &commands)
        commands.append(.send(clientLeg.id, bytes))
        guard closes else { return }
        endClient(&commands)
        phase = .closed
        closeServers(isReset: false, &commands)
    }
}
