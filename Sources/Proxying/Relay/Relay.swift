import Framing
import Interception
public import Wire

/// Decides what happens to the bytes of one client connection.
///
/// A value without I/O: it takes events of sockets, and returns commands for sockets and rows for
/// the trace. What a peer sent is forwarded unchanged, apart from the rewrites of ``Patch/Reason``.
///
/// The protocol is undecided at first. The first byte shows whether it is TLS, HTTP or another one,
/// and the same is decided again inside a tunnel that CONNECT opened, whether this proxy opened it
/// or an upstream server. As HTTP it is framed on the side, to find the server of each request and
/// to keep answers in the order of the requests: a request for another server than the one before
/// waits until every earlier one is answered, and so does one too many. After an upgrade, or when
/// it cannot be framed, bytes are forwarded unread.
///
/// Each event costs work in proportion to the bytes that it brings or releases. Every byte of a
/// peer is forwarded or is in the trace as ``Patch/Reason/undelivered``, or is covered by an event
/// row of that kind.
public struct Relay {
    /// The maximum number of requests of one client that wait for an answer; further ones are not
    /// read.
    public static let maximumOutstanding = 64
    /// The maximum number of servers of one client connection that are kept without an open
    /// request.
    static let maximumIdleServers = 8

    /// How many events a read nearly always has at most, for which there is room at once.
    static let usualEvents = 4

    /// The protocol of the client's leg.
    enum Phase {
        /// Nothing came since the connection, or the tunnel in it, was opened.
        case start
        /// TLS: the ClientHello is being gathered, since then.
        case hello([UInt8], since: Instant)
        /// The client names its server by SOCKS.
        case socks(SOCKSNegotiation)
        /// The client's handshake is in progress.
        case securing
        case http
        /// The client gets the answers that it is owed and nothing more; what it sends is dropped.
        case refusing
        /// A CONNECT waits for its leg.
        case connecting(LegID)
        /// Bytes pass unread; whether they are recorded.
        case raw(LegID, isRecorded: Bool)
        case closed

        /// Whether nothing is delivered any more.
        var isOver: Bool { if case .closed = self { true } else { false } }
    }

    /// How all legs are closed at once.
    enum Cut { case orderly, reset }

    let connection: ConnectionRow
    let clientLeg: LegRow
    let settings: RelaySettings
    let nextLeg: () -> LegID
    /// The part of the proxy's own pages about the client, by its `User-Agent` and the time.
    var clientPart: (String?, Instant) -> String = { _, _ in "" }

    var phase: Phase = .start
    /// The server that all requests go to: that of a reverse proxy or of a tunnel.
    var fixed: ServerAddress? { didSet { fixedAuthority = fixed?.authority ?? "" } }
    /// What `Host` says to ``fixed``; made once, since nearly every request is to have it.
    private(set) var fixedAuthority = ""
    /// Whether ``fixed`` came from a CONNECT, from SOCKS or from where the client connected to.
    var isTunnel = false
    /// Why a transparent client's server is none.
    var unreachable: Refusal?
    /// Whether a SOCKS client, or one that was redirected, asked for the proxy's own pages.
    var isOwnSite = false
    /// The negotiation whose answer is awaited, where ``fixed`` was named by SOCKS.
    var socks: SOCKSNegotiation?
    var isClientTLS = false
    /// Which directions of the client's leg are over.
    var clientEnds = LegEnds.neither
    var isClientPaused = false
    /// A close of everything that waits until a server has what it is to get.
    var pendingCut: Cut?
    /// Whether connection and client leg are in the trace.
    var isAnnounced = false

    /// The heads that were read lately, also on other connections of the event loop.
    var known = HTTPKnownHeads()
    var requests = HTTPFramer(role: .request)
    var scan = MessageScan()
    var legs: [RelayLeg] = []
    var current: LegID?
    var outstanding: [RelayRequest] = []
    /// The server of the next request, where a rule says it.
    var mapped: ServerAddress?
    /// A request that waits for earlier ones, and what follows it in the same read.
    var blocked: BlockedRequest?
    /// Reads that wait after it, after a request to change the protocol, or for earlier requests to
    /// be answered.
    var backlog = HeldReads()
    /// The value of `Host` that was found to be one of the proxy's names last.
    var answeredName: String?
    /// Why bytes were not delivered, as far as the trace has it already.
    var saidUndelivered: Set<String> = []

    /// A relay for one accepted connection.
    ///
    /// - Parameters:
    ///   - connection: The row of the connection in the trace.
    ///   - clientLeg: The row of the client's leg in the trace.
    ///   - settings: What to do with what passes.
    ///   - nextLeg: Returns a unique leg number.
    public init(
        connection: ConnectionRow, clientLeg: LegRow, settings: RelaySettings,
        nextLeg: @escaping () -> LegID
    ) {
        self.connection = connection
        self.clientLeg = clientLeg
        self.settings = settings
        self.nextLeg = nextLeg
        guard case .reverse(let server) = settings.mode else { return }
        (fixed, fixedAuthority) = (server, server.authority)
    }

    /// Processes an event at `at` and returns the commands for it, in order.
    public mutating func handle(
        _ event: RelayEvent, at: Instant, into commands: inout [RelayCommand]
    ) {
        switch event {
        case .redirected(let server):
            redirected(to: server, at, &commands)
        case .received(let leg, let bytes, let readAt):
            received(leg, HeldBytes(bytes[...], at: at, readAt: readAt), &commands)
        case .made(let leg, let bytes):
            received(leg, HeldBytes(bytes[...], at: at, origin: .tapedeck), &commands)
        case .kept(let leg, let bytes, let readAt),
            .altered(let leg, let bytes, by: [], let readAt):
            keep(leg, HeldBytes(bytes[...], at: at, readAt: readAt), &commands)
        case .altered(let leg, let bytes, let others, let readAt):
            let read = HeldBytes(
                others[...], at: at, readAt: readAt, source: Alteration(of: bytes, by: others))
            received(leg, read, &commands)
        case .answered(let bytes, let closes):
            answerLocally(LocalAnswer(bytes: bytes, closes: closes), at, &commands)
        case .routed(let server):
            mapped = server
        case .swallowed:
            if !outstanding.isEmpty { outstanding.removeFirst() }
            settle(at, &commands)
        case .cut(let isReset):
            cut(isReset: isReset, at, &commands)
        case .finished(let sender):
            if sender == .server { endClient(&commands) } else { endServers(at, &commands) }
        case .woke:
            return
        case .ready(let leg):
            legIsReady(leg, at, &commands)
        case .refused(let leg, let why, let cause):
            legWasRefused(leg, why, cause, at, &commands)
        case .declined(let leg, let refusal):
            legWasRefused(leg, refusal.detail, as: refusal, at, &commands)
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
            if case .securing = phase { phase = .http }
            drain(at, &commands)
        case .overdue:
            giveUpHeads(at, &commands)
        case .noted(let leg, let kind, let detail):
            guard isRecorded(leg) else { return }
            record(kind, leg: leg, at: at, detail: detail, &commands)
        }
        if pendingCut != nil { finishCut(at, &commands) }
        forwardReady(at, &commands)
        updateReading(&commands)
    }

    /// Whether the events of a leg are written to the trace: with `--only`, the client's leg counts
    /// once its host is known to be a recorded one.
    func isRecorded(_ leg: LegID) -> Bool {
        guard leg == clientLeg.id else {
            return legs.first { $0.id == leg }?.isRecorded ?? settings.only.isEmpty
        }
        return settings.only.isEmpty || legs.contains(where: \.isRecorded)
            || fixed.map { settings.records($0.host) } == true
    }

    // MARK: The client's bytes

    mutating func received(
        _ leg: LegID, _ read: HeldBytes, _ commands: inout [RelayCommand]
    ) {
        guard !read.bytes.isEmpty else { return }
        if leg == clientLeg.id {
            clientSent(read, &commands)
        } else {
            serverSent(leg, read, &commands)
        }
    }

    private mutating func clientSent(_ read: HeldBytes, _ commands: inout [RelayCommand]) {
        switch phase {
        case .start:
            decide(read, &commands)
        case .hello(let held, let since):
            gatherHello(held + read.bytes, since: since, read.at, &commands)
        case .socks(let negotiation):
            negotiate(negotiation, read, &commands)
        case .securing, .connecting:
            backlog.append(read)
        case .http:
            if isBlocked {
                backlog.append(read)
            } else {
                readRequests(read, &commands)
            }
        case .raw(let leg, let isRecorded):
            guard !isEnded(leg) else {
                if isRecorded { undeliver(read, on: clientLeg.id, Self.reportedEnd, &commands) }
                return
            }
            if isRecorded {
                recordChunk(read, leg: clientLeg.id, sender: .client, &commands)
            }
            send(Array(read.bytes), on: leg, &commands)
        case .refusing, .closed:
            undeliver(read, on: clientLeg.id, "the connection is being closed", &commands)
        }
    }

    /// Detects the protocol by the first byte.
    private mutating func decide(_ read: HeldBytes, _ commands: inout [RelayCommand]) {
        guard let first = read.bytes.first else { return }
        if case .forward = settings.mode, !settings.ways.contains(.http), fixed == nil,
            !isOwnSite, !isSOCKS(read)
        {
            refuse(
                Refusal(
                    status: 400, phrase: "Bad Request",
                    detail: "this listener is a SOCKS proxy, and what was sent is not SOCKS"),
                Array(read.bytes), read.at, &commands)
        } else if StartOfStream.isTLS(first), read.source == nil {
            gatherHello(Array(read.bytes), since: read.readAt, read.at, &commands)
        } else if isSOCKS(read) {
            negotiate(SOCKSNegotiation(credentials: settings.credentials), read, &commands)
        } else if StartOfStream.isHTTP(first) {
            phase = .http
            readRequests(read, &commands)
        } else {
            passUnread(read, read.at, &commands)
        }
    }

    /// Forwards bytes of an unknown protocol to the only server.
    mutating func passUnread(
        _ read: HeldBytes, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard let fixed else {
            recordKept(read, leg: clientLeg.id, sender: .client, &commands)
            refuse(
                400, "Bad Request",
                "tapedeck: this is \(settings.ways.text), and what was sent is something else", at,
                &commands)
            return
        }
        guard current != nil || !isTunnel else {
            // The one connection that a tunnel is has ended.
            undeliver(read, on: clientLeg.id, "the server has ended the tunnel", &commands)
            phase = .closed
            if unreachable != nil { commands.append(.close(clientLeg.id, isReset: true)) }
            return
        }
        let isRecorded = settings.records(fixed.host)
        let leg = current ?? openLeg(fixed, at, isRecorded: isRecorded, &commands)
        if isRecorded {
            record(
                .raw, leg: clientLeg.id, at: at, detail: "neither HTTP nor TLS; forwarded unread",
                &commands)
            recordChunk(read, leg: clientLeg.id, sender: .client, &commands)
        }
        phase = .raw(leg, isRecorded: isRecorded)
        send(Array(read.bytes), on: leg, &commands)
    }

    /// Half-closes the client's leg.
    mutating func endClient(_ commands: inout [RelayCommand]) {
        guard clientEnds.endRelay() else { return }
        commands.append(.end(clientLeg.id))
    }

    /// Reads the client only while nothing of it waits.
    private mutating func updateReading(_ commands: inout [RelayCommand]) {
        let mustWait =
            switch phase {
            case .connecting: true
            // A handshake continues only by what is read.
            case .securing: false
            default:
                isBlocked || legs.indices.contains { legs[$0].held.count > settings.heldBytes }
            }
        guard mustWait != isClientPaused, clientEnds != .closed else { return }
        isClientPaused = mustWait
        commands.append(mustWait ? .pauseClient : .resumeClient)
    }

    /// Bytes that wait here: starts of heads, reads after them, and what is to be sent to servers
    /// that are still being connected to.
    public var heldBytes: Int {
        var count = scan.partial.count + backlog.count
        if let blocked { count += blocked.read.heldCount - blocked.position }
        if case .hello(let held, _) = phase { count += held.count }
        if case .socks(let negotiation) = phase { count += negotiation.held.count }
        // By index: a leg is large, and this runs after every event.
        for index in legs.indices {
            count += legs[index].held.count + legs[index].scan.partial.count
        }
        return count
    }

    /// What waits here; mutating, since to ask the property of another object makes a copy of it all.
    mutating func holding() -> Holding {
        let framed = framedBytes
        return Holding(bytes: heldBytes + framed, hasHead: isHoldingHead, framed: framed)
    }

    /// How much content is certain to come on a leg, in bytes; 0 where its length is not known.
    ///
    /// Mutating for the same reason.
    mutating func contentToCome(on leg: LegID) -> Int64 {
        var stage = HTTPStage.unframed
        if leg == clientLeg.id {
            stage = requests.stage
        } else if let index = legs.firstIndex(where: { $0.id == leg }) {
            stage = legs[index].responses.stage
        }
        guard case .content(let count) = stage else { return 0 }
        return count ?? 0
    }

    /// Bytes that framing holds until the end of a head or of trailers.
    private var framedBytes: Int {
        var count = requests.heldBytes
        for index in legs.indices { count += legs[index].responses.heldBytes }
        return count
    }

    /// Whether the start of a head is held until the rest of it arrives.
    public var isHoldingHead: Bool {
        isHoldingRequest || isHoldingHello
            || legs.indices.contains { !legs[$0].scan.partial.isEmpty }
    }

    private var isHoldingHello: Bool {
        switch phase {
        case .hello, .socks: true
        default: false
        }
    }

    /// Whether the start of a request's head is held until the rest of it arrives.
    var isHoldingRequest: Bool { !scan.partial.isEmpty && blocked == nil }
}
