import Dissection
import Framing
import Wire

/// The rules of WebSocket.
struct WebSocketCheck: Check {
    /// The state of one side of a socket.
    private struct Side {
        var close: FindingStep?
        var isBlamed = false
        /// The first ping of this side that the other has not answered.
        var ping: FindingStep?
        var pings: Int64 = 0
    }

    private struct Socket {
        var serverLeg: LegID?
        /// When the server answered with 101.
        var openedAt: Instant
        /// Whether the client has sent anything, so that it has the 101.
        var isInUse = false
        var client = Side()
        var server = Side()

        subscript(peer: Peer) -> Side {
            get { peer == .client ? client : server }
            set { if peer == .client { client = newValue } else { server = newValue } }
        }
    }

    private enum Wait {
        /// For an answer to the Close of this peer.
        case close(ConnectionID, by: Peer)
        /// For an answer to this ping of this peer.
        case ping(ConnectionID, by: Peer, number: Int64)
    }

    private var sockets: [ConnectionID: Socket] = [:]
    private var deadlines = Deadlines<Wait>(most: 16_384)
    var patience = Patience()
    private static let maxSockets = 16_384
    /// Nanoseconds after a fault during which notes are ignored.
    private static let unrest: Int64 = 5_000_000_000
    /// Nanoseconds within which a 101 may still be on its way to the client.
    private static let opening: Int64 = 1_000_000_000
    /// Nanoseconds after a fault of another connection during which missing answers are ignored.
    private static let distantUnrest: Int64 = 60_000_000_000

    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch evidence {
        case .command(let command):
            if command.row.sender == .client { sockets[command.row.connection]?.isInUse = true }
            return
        default: if let id = evidence.connection, session.isSynthesized(id) { return }
        }
        switch evidence {
        case .answered(let exchange) where exchange.row.status == 101:
            guard exchange.request != nil || exchange.response != nil else { return }
            if sockets.count < Self.maxSockets {
                sockets[exchange.row.connection] = Socket(
                    serverLeg: exchange.row.serverLeg,
                    openedAt: exchange.row.respondedAt ?? exchange.row.startedAt)
            }
            handshake(exchange, session, &report)
        case .note(let note): judge(note, session, &report)
        case .message(let message):
            if message.row.sender == .client { sockets[message.row.connection]?.isInUse = true }
            if message.row.opcode >= 8 { take(message, session) }
        case .event(let row) where row.kind == .closed || row.kind == .ended:
            ended(row, session, &report)
        default: return
        }
    }

    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        while let (at, wait) = deadlines.next(before: now) {
            expired(wait, at, session, &report)
        }
    }

    // MARK: Handshake

    private func handshake(
        _ exchange: ExchangeEvidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let request = exchange.request?.head, let response = exchange.response?.head,
            WebSocketHandshake.opens(
                status: 101, response: { response.all($0).map(\.value) }),
            !exchange.isRequestTouched
        else { return }
        let problems = WebSocketHandshake.problems(
            method: exchange.row.method, request: { request.all($0).map(\.value) },
            response: { response.all($0).map(\.value) })
        for problem in problems {
            let (rule, field) = Self.rule(for: problem)
            if rule.blames == .client {
                report.add(
                    Finding(
                        rule, asked: exchange, session,
                        detail: "The request for \(exchange.row.path) has a wrong \(field).",
                        quote: request.first(field)?.line))
            } else if !exchange.isAnswerTouched {
                report.add(
                    Finding(
                        rule, answered: exchange, session,
                        detail: "The 101 for \(exchange.row.path) has a wrong \(field).",
                        quote: response.first(field)?.line))
            }
        }
    }

    private static func rule(for problem: WebSocketHandshakeProblem) -> (Rule, String) {
        switch problem {
        case .method: (WebSocketRules.handshakeRequest, "method")
        case .requestUpgrade: (WebSocketRules.handshakeRequest, "Upgrade")
        case .requestConnection: (WebSocketRules.handshakeRequest, "Connection")
        case .version: (WebSocketRules.handshakeRequest, "Sec-WebSocket-Version")
        case .key: (WebSocketRules.handshakeRequest, "Sec-WebSocket-Key")
        case .responseUpgrade: (WebSocketRules.handshakeResponse, "Upgrade")
        case .responseConnection: (WebSocketRules.handshakeResponse, "Connection")
        case .accept: (WebSocketRules.handshakeResponse, "Sec-WebSocket-Accept")
        case .extensionNotOffered:
            (WebSocketRules.extensionNotOffered, "Sec-WebSocket-Extensions")
        case .protocolNotOffered: (WebSocketRules.protocolNotOffered, "Sec-WebSocket-Protocol")
        }
    }

    // MARK: Frames

    private func judge(
        _ note: NoteRow, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard note.code.hasPrefix("websocket."),
            let rule = WebSocketRules.rule(for: note.code, of: note.sender),
            session.isWhole(note.connection), let view = session[note.connection], !view.wasCut
        else { return }
        if let fault = view.lastFaultAt,
            note.at.nanoseconds - fault.nanoseconds < Self.unrest
        {
            return
        }
        // An incomplete frame at the end of a connection is not malformed.
        if note.code == "websocket.failed", !note.detail.contains("claims") { return }
        let step = FindingStep(at: note.at, note.detail, place: note.place)
        let who = note.sender == .client ? "client" : "server"
        report.add(
            Finding(
                rule, connection: note.connection, client: session.client(of: note.connection),
                detail: "A frame of the \(who): \(note.detail).", steps: [step]))
    }

    // MARK: Close and ping

    private mutating func take(_ message: MessageEvidence, _ session: borrowing SessionView) {
        let row = message.row
        guard var socket = sockets[row.connection] else { return }
        let step = { (detail: String) in FindingStep(message, detail) }
        switch row.opcode {
        case 8:
            // A frame that Tapedeck sends in a peer's place does not count as the peer's answer,
            // yet has to be answered.
            if socket[row.sender].close == nil {
                let code = row.closeCode.map { " \($0)" } ?? ""
                socket[row.sender].close = step("Close\(code)")
                if message.origin == .tapedeck { socket[row.sender].isBlamed = true }
                if socket[row.sender.other].close == nil, message.origin != .lost {
                    deadlines.wait(
                        until: later(row.endedAt), .close(row.connection, by: row.sender))
                }
            }
        case 9 where message.origin != .lost:
            socket[row.sender].pings += 1
            if socket[row.sender].ping == nil {
                socket[row.sender].ping = step("Ping")
                deadlines.wait(
                    until: later(row.endedAt),
                    .ping(row.connection, by: row.sender, number: socket[row.sender].pings))
            }
        case 10 where message.origin != .tapedeck: socket[row.sender.other].ping = nil
        default: return
        }
        sockets[row.connection] = socket
    }

    private func later(_ at: Instant) -> Instant {
        let (sum, overflow) = at.nanoseconds.addingReportingOverflow(
            patience.deadline(of: WebSocketRules.pingUnanswered))
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    /// The time that a peer has to answer, as text.
    private var time: String {
        SimperiumSessionCheck.seconds(patience.deadline(of: WebSocketRules.pingUnanswered))
    }

    /// Whether what happened on a connection since `at` allows a verdict.
    private func isFair(
        _ id: ConnectionID, since at: Instant, _ session: borrowing SessionView
    )
        -> Bool
    {
        // A stall continues after its fault row, so that no fault is ever over for a deadline.
        guard let view = session[id], view.coverage == .whole, !view.wasCut,
            view.lastFaultAt == nil
        else { return false }
        // A fault on every connection makes none of them responsible.
        guard let fault = session.lastFaultAt else { return true }
        return fault.nanoseconds < at.nanoseconds - Self.distantUnrest
    }

    private mutating func expired(
        _ wait: Wait, _ at: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch wait {
        case .close(let id, let peer):
            guard let socket = sockets[id], let close = socket[peer].close,
                socket[peer.other].close == nil, !socket[peer.other].isBlamed
            else { return }
            sockets[id]?[peer.other].isBlamed = true
            guard isFair(id, since: close.at, session) else { return }
            unanswered(close, of: peer, id, "for \(time)", at, session, &report)
        case .ping(let id, let peer, let number):
            guard let socket = sockets[id], let ping = socket[peer].ping,
                socket.client.close == nil, socket.server.close == nil
            else { return }
            // An earlier ping was answered, and this deadline was not for the one that waits.
            guard later(ping.at) <= at else {
                deadlines.wait(until: later(ping.at), .ping(id, by: peer, number: number))
                return
            }
            guard isFair(id, since: ping.at, session) else { return }
            let rule =
                peer == .server
                ? WebSocketRules.pingUnanswered : WebSocketRules.serverPingUnanswered
            let who = peer == .server ? "client" : "server"
            report.add(
                Finding(
                    rule, connection: id, client: session.client(of: id),
                    detail: "The \(who) has not answered a Ping for \(time).",
                    steps: [ping, FindingStep(at: at, "no Pong until now")]))
            sockets[id]?[peer].ping = nil
        }
    }

    private func unanswered(
        _ close: FindingStep, of peer: Peer, _ id: ConnectionID, _ how: String, _ at: Instant,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let rule =
            peer == .server
            ? WebSocketRules.closeUnanswered : WebSocketRules.serverCloseUnanswered
        let (who, other) = peer == .server ? ("client", "server") : ("server", "client")
        report.add(
            Finding(
                rule, connection: id, client: session.client(of: id),
                detail: "The \(who) has not answered the \(close.detail) of the \(other) \(how).",
                steps: [close, FindingStep(at: at, "no Close until now")]))
    }

    /// A leg has ended, or is closed: the first of a connection shows which side ended it.
    private mutating func ended(
        _ event: EventRow, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let id = event.connection, let socket = sockets.removeValue(forKey: id),
            let leg = event.leg, let serverLeg = socket.serverLeg,
            let view = session[id], view.coverage == .whole, !view.wasCut
        else { return }
        let first: Peer = leg == serverLeg ? .server : .client
        if let fault = view.lastFaultAt, event.at.nanoseconds - fault.nanoseconds < Self.unrest {
            return
        }
        if let close = socket[first.other].close {
            // A delay lasts longer than its row: the Close may still be on its way.
            guard socket[first].close == nil, !socket[first].isBlamed, view.lastFaultAt == nil
            else { return }
            unanswered(
                close, of: first.other, id, "and closed the connection", event.at, session,
                &report)
        } else if socket[first].close == nil {
            // It cannot send a Close in what is not open for it yet.
            if first == .client, !socket.isInUse,
                event.at.nanoseconds - socket.openedAt.nanoseconds < Self.opening
            {
                return
            }
            let rule =
                first == .client ? WebSocketRules.noCloseFrame : WebSocketRules.serverNoCloseFrame
            let who = first == .client ? "client" : "server"
            let step = FindingStep(at: event.at, "the \(who)'s connection ends (\(event.detail))")
            report.add(
                Finding(
                    rule, connection: id, client: session.client(of: id),
                    detail: "The \(who) closed the connection without a Close frame.", steps: [step]
                ))
        }
    }
}
