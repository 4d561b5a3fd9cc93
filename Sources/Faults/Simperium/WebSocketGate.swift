import Dissection
import Framing
import Notation
import Simperium
public import Wire

/// Judges the messages of one WebSocket and the Simperium commands in them.
///
/// A value without I/O. Messages are found by the same assembler that the trace is made with; those
/// in one frame whose first bytes show that no rule concerns them are forwarded unread. A message
/// that may concern a rule waits until it is complete, up to 1 MiB; longer ones are forwarded
/// unjudged. Once a compressed message was altered in a direction that takes contexts over, later
/// ones are written without compression. Injected messages are sent between messages only.
///
/// It holds inflaters, which copies would share: only one copy is used.
public struct WebSocketGate {
    /// How long a message waits for the one that it shall go behind.
    static let patience: Int64 = 5_000_000_000
    /// How long a control message waits for the message between whose fragments it arrived.
    static let controlPatience: Int64 = 1_000_000_000
    /// The maximum number of refusals that wait for the server's answer.
    static let maxRefusals = 1024

    let context: GateContext
    let session: FaultSession
    var lanes: [WebSocketLane]
    /// Bytes that wait for the rest of a message.
    var heldBytes: Int { lanes.reduce(0) { $0 + $1.heldCount } }
    /// The same; mutating, since other accesses copy.
    mutating func holding() -> Int { heldBytes }
    var conversation: SocketConversation
    /// Keys of masks that no rule draws.
    var draws: SplitMix64
    /// What comes later.
    var later: [Later] = []
    /// Messages that wait for the next one.
    var postponed: [Postponed] = []
    /// Messages that somebody decides about, with those behind them, in their order.
    var holdings: [Holding] = []
    /// Changes that wait for others.
    var joining: [Joining] = []
    /// Changes that the server gets and the client shall see refused, by identifier.
    var refusals: [String: Refusal] = [:]
    /// Channels whose `auth` is to be followed by an answer to their `init`.
    var openings: [Int: Opening] = [:]
    var shaping: [Firing] = []
    var conditions = FilterConditions()

    /// A gate for what follows the handshake.
    ///
    /// - Parameters:
    ///   - context: The context of the connection.
    ///   - handshake: The request and the response that agreed to the WebSocket.
    ///   - session: The rules.
    public init(_ context: GateContext, handshake: HTTPSwitch, session: FaultSession) {
        let target = try? handshake.request.parsedTarget()
        let extensions = handshake.response.all("sec-websocket-extensions").map {
            handshake.response.text($0.value)
        }
        self.init(
            context, path: target?.path ?? handshake.request.target,
            compression: PerMessageDeflate.negotiated(responseExtensions: extensions),
            session: session)
    }

    /// A gate for a WebSocket at `path`.
    init(
        _ context: GateContext, path: String, compression: PerMessageDeflate?,
        session: FaultSession
    ) {
        self.context = context
        self.session = session
        lanes = Peer.allCases.map { WebSocketLane(sender: $0, compression: compression) }
        conversation = SocketConversation(path: path)
        draws = SplitMix64(
            seed: session.seed ^ UInt64(bitPattern: context.connection.rawValue))
    }

    /// Takes what `sender` sent.
    public mutating func take(
        _ bytes: [UInt8], from sender: Peer, at: Instant, into commands: inout [GateCommand]
    ) {
        guard !bytes.isEmpty else { return }
        let index = sender.rawValue
        refreshConditions()
        var taken = 0
        while taken < bytes.count {
            var count = bytes.count - taken
            if mayGlance(index) {
                if lanes[index].isBetweenMessages {
                    let found = glance(bytes, from: taken, sender)
                    lanes[index].skip(
                        Self.part(bytes, taken, found.passing), into: &commands)
                    taken += found.passing
                    count = found.read
                    if count == 0 { break }
                } else {
                    count = lanes[index].reach(atMost: count)
                }
            }
            read(Self.part(bytes, taken, count), index, at, &commands)
            taken += count
        }
    }

    private static func part(_ bytes: [UInt8], _ first: Int, _ count: Int) -> [UInt8] {
        count == bytes.count ? bytes : Array(bytes[first..<(first + count)])
    }

    /// Finds the messages in bytes, and judges them.
    private mutating func read(
        _ bytes: [UInt8], _ index: Int, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        var events: [WebSocketEvent] = []
        lanes[index].append(bytes, at: at, into: &events)
        for event in events {
            switch event {
            case .frame(let header): lanes[index].began(header)
            case .message(var message):
                message.start += lanes[index].skipped
                message.end += lanes[index].skipped
                judge(message, from: lanes[index].sender, at: at, into: &commands)
            case .failure: lanes[index].isOver = true
            case .note: break
            }
        }
        settle(index, at, &commands)
    }

    /// Notes that `sender` will send no more bytes: what waits is forwarded.
    public mutating func ended(_ sender: Peer, at: Instant, into commands: inout [GateCommand]) {
        let index = sender.rawValue
        lanes[index].release(into: &commands)
        release({ $0.sender == sender }, &commands)
        loseHeld(of: sender, at, &commands)
        finishJoining({ _ in sender == .server }, at, &commands)
        if sender == .server { failRefusals(at, &commands) }
    }

    /// Notes that a requested time has come.
    public mutating func wake(at: Instant, into commands: inout [GateCommand]) {
        let due = later.filter { $0.at <= at }
        later.removeAll { $0.at <= at }
        for item in due {
            switch item.what {
            case .made(let made): give(made, &commands)
            case .end: commands.append(.close(isReset: false))
            case .action: perform(item.firing, sender: nil, at: at, into: &commands)
            }
        }
        release({ $0.until <= at }, &commands)
        expireHeld(at, &commands)
        finishJoining({ $0.until <= at }, at, &commands)
        for index in lanes.indices where !lanes[index].isAltered {
            guard let since = lanes[index].blockedSince,
                Self.moment(since, after: Self.controlPatience) <= at
            else { continue }
            // Pings need their pongs in time; the message is forwarded unjudged.
            lanes[index].release(into: &commands)
        }
    }

    /// Carries out an action once, now, on request.
    ///
    /// `send`, `close-code` and the actions on connections; `cv-unknown`, `change-unknown`,
    /// `auth-failure` and `auth-expired` on every channel that was opened. Others do nothing.
    public mutating func fire(
        _ firing: Firing, at: Instant, into commands: inout [GateCommand]
    ) {
        switch firing.action.kind {
        case .cvUnknown, .changeUnknown, .authFailure, .authExpired:
            for channel in conversation.channels {
                let answers = Self.answers(firing.action, channel: channel)
                commands.append(row(firing, .server, at))
                for text in answers {
                    make(text, to: .client, draw: firing.draw, into: &commands)
                }
            }
        default: perform(firing, sender: nil, at: at, into: &commands)
        }
    }

    /// What was to be done later, and is not done any more.
    mutating func takeLater() -> [Firing] {
        defer { later = [] }
        return later.reduce(into: []) { left, item in
            // A connection that is to be closed has been.
            if case .end = item.what { return }
            if !left.contains(item.firing) { left.append(item.firing) }
        }
    }

    /// What the gate leaves to the shaper: bandwidth, slices, cuts and blackouts since the last
    /// call.
    public mutating func takeShaping() -> [Firing] {
        defer { shaping = [] }
        return shaping
    }

    /// Whether commands have to be read.
    var wantsCommands: Bool {
        session.interest.contains(.command) || !refusals.isEmpty || !joining.isEmpty
            || !openings.isEmpty || !holdings.isEmpty || postponed.contains(where: \.isCommand)
    }

    /// Appends what needs no decision.
    private mutating func settle(
        _ index: Int, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        let waits =
            !lanes[index].isOver
            && (wantsCommands || session.interest.contains(.message) || lanes[index].isAltered
                || lanes[index].isClosed || !postponed.isEmpty)
        guard lanes[index].heldCount > 0 else { return }
        if !waits {
            lanes[index].release(into: &commands)
        } else if lanes[index].isPassing {
            // Its first bytes were forwarded, so the rest is forwarded as it arrives.
            lanes[index].release(into: &commands)
        } else if lanes[index].heldCount > lanes[index].limit {
            let mayPass = !lanes[index].isAltered
            lanes[index].release(into: &commands)
            // It can be read with what came before alone, of which the receiver lacks a part.
            if !mayPass { commands.append(.close(isReset: false)) }
        } else if lanes[index].isBlocked, lanes[index].blockedSince == nil {
            lanes[index].blockedSince = at
            commands.append(.wake(at: Self.moment(at, after: Self.controlPatience)))
        }
    }

    /// Carries out what is done to the WebSocket itself, or to nothing that was sent.
    ///
    /// - Parameters:
    ///   - firing: The action.
    ///   - sender: Whose message brought it about; nil where none did.
    ///   - position: Place of the command that brought it about in that message, from 0.
    ///   - hasTaken: Whether it takes something of that message away.
    ///   - isStated: Whether it was stated before, with that message.
    ///   - at: When.
    ///   - commands: What is done.
    /// - Returns: Whether it is such an action.
    @discardableResult
    mutating func perform(
        _ firing: Firing, sender: Peer?, position: Int = 0, hasTaken: Bool = false,
        isStated: Bool = false, at: Instant, into commands: inout [GateCommand]
    ) -> Bool {
        let action = firing.action
        var made: [GateCommand] = []
        var sent: [[UInt8]] = []
        switch action.kind {
        case .send:
            let text = Array((action.text("text") ?? "").utf8)
            let receiver: Peer = action.text("to") == "server" ? .server : .client
            sent = [text]
            make(text, to: receiver, draw: firing.draw, into: &made)
        case .closeCode:
            for receiver in Self.receivers(action) {
                close(firing, to: receiver, sent: &sent, into: &made)
            }
        case .close: made = [.close(isReset: false)]
        case .reset: made = [.close(isReset: true)]
        case .halfClose:
            made = [.end(sender: action.text("sender") == "client" ? .client : .server)]
        case .stall:
            made = Self.senders(action).map { .stall(sender: $0) }
        case .bandwidth, .slice, .cut, .blackout:
            shaping.append(firing)
        default: return false
        }
        let about: Peer? =
            sent.isEmpty || hasTaken ? sender : Self.receivers(action)[0].other
        if !isStated, !firing.isStatedByShaper {
            commands.append(row(firing, about, at, position: position, hasTaken: hasTaken))
        }
        commands += made
        return true
    }

    private mutating func close(
        _ firing: Firing, to receiver: Peer, sent: inout [[UInt8]],
        into commands: inout [GateCommand]
    ) {
        var code = Int(firing.action.integer("code") ?? 1000)
        var reason = firing.action.text("reason") ?? ""
        if case .sockJS = conversation.form, receiver == .client {
            // After the SockJS close frame, the WebSocket is closed in order.
            let text = SockJSFrame.close(
                code: code, reason: SockJSMessage(text: Array(reason.utf8), range: 0..<0)
            ).encoded
            emit(.text, text, to: receiver, draw: firing.draw, into: &commands)
            (code, reason) = (1000, "")
        }
        let payload = Array(WebSocketCloseCode.payload(code, reason: reason).prefix(125))
        sent.append(payload)
        emit(.close, payload, to: receiver, draw: firing.draw, into: &commands)
        lanes[receiver.other.rawValue].isClosed = true
    }

    /// Injects bytes.
    mutating func give(_ made: MessageVerdict.Made, _ commands: inout [GateCommand]) {
        if made.isCommand {
            make(made.payload, to: made.receiver, draw: made.draw, into: &commands)
        } else {
            emit(made.opcode, made.payload, to: made.receiver, draw: made.draw, into: &commands)
        }
    }

    /// Injects the text of a command.
    mutating func make(
        _ text: [UInt8], to receiver: Peer, draw: UInt64, into commands: inout [GateCommand]
    ) {
        let payload = conversation.payload([text], from: receiver.other)
        emit(.text, payload, to: receiver, draw: draw, into: &commands)
    }

    /// Injects a message.
    mutating func emit(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], to receiver: Peer, draw: UInt64,
        into commands: inout [GateCommand]
    ) {
        var draws = SplitMix64(seed: draw)
        let mask = receiver == .server ? UInt32(truncatingIfNeeded: draws.next()) : nil
        let frame = WebSocketFrameEncoder.encode(opcode: opcode, payload: payload, mask: mask)
        lanes[receiver.other.rawValue].make(frame, into: &commands)
    }

    func row(
        _ firing: Firing, _ sender: Peer?, _ at: Instant, position: Int = 0,
        hasTaken: Bool = false
    ) -> GateCommand {
        .fault(
            firing.row(
                at: at, connection: context.connection, sender: sender, position: position,
                hasTaken: hasTaken))
    }

    /// The statement that an action could not be carried out, which the rules count.
    func failure(
        of firing: Firing, _ sender: Peer?, _ at: Instant, position: Int = 0, _ problem: String
    ) -> GateCommand {
        session.fail(firing)
        return .fault(
            firing.row(
                at: at, connection: context.connection, sender: sender, position: position,
                problem: problem))
    }

    private static func receivers(_ action: FaultAction) -> [Peer] {
        switch action.text("to") {
        case "client": [.client]
        case "server": [.server]
        default: action.kind == .send ? [.client] : [.client, .server]
        }
    }

    /// Whose bytes are stalled.
    static func senders(_ action: FaultAction) -> [Peer] {
        switch action.text("sender") {
        case "client": [.client]
        case "server": [.server]
        default: Peer.allCases
        }
    }
}
