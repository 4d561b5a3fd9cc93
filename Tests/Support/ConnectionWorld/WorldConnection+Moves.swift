import Wire

@testable import Proxying

/// What can happen next on a connection.
enum Move: Hashable {
    case clientSpeaks, clientWrites, clientEnds
    case serverSpeaks(LegID)
    case serverWrites(LegID)
    case serverEnds(LegID)
    case read(LegID)
    case inputClosed(LegID)
    case taken(LegID)
    case connected(LegID)
    case secured(LegID)
    case gone(LegID)
    case room, loseHeart
}

extension WorldConnection {
    /// What can happen next; `isEnding` where peers only finish.
    func moves(isEnding: Bool) -> [Move] {
        var moves: [Move] = []
        if !hasRoom { moves.append(.room) }
        for socket in sockets {
            let leg = socket.leg
            let isClient = leg == clientLeg
            switch socket.state {
            case .dead:
                moves.append(.gone(leg))
                continue
            case .connecting:
                moves.append(.connected(leg))
                continue
            case .handshaking:
                moves.append(.secured(leg))
            case .open, .closing:
                if !socket.inbound.isEmpty, !socket.isPaused || socket.hasPeerEnded {
                    moves.append(.read(leg))
                }
                if socket.inbound.isEmpty, socket.hasPeerEnded, !socket.isInputClosed {
                    moves.append(.inputClosed(leg))
                }
            }
            if !socket.outbound.isEmpty || socket.isOutputClosed && !socket.hasPeerSeenEnd {
                moves.append(.taken(leg))
            }
            guard !socket.hasPeerEnded else { continue }
            let hasRoom = socket.inbound.count < WorldSocket.capacity
            if isClient {
                if hasRoom, !client.outbox.isEmpty { moves.append(.clientWrites) }
                if client.maySpeak, !isEnding, socket.state != .handshaking {
                    moves.append(.clientSpeaks)
                }
                if client.ending != nil, client.outbox.isEmpty || client.ending == .reset {
                    moves.append(.clientEnds)
                }
            } else if let server = socket.server {
                if hasRoom, !server.outbox.isEmpty { moves.append(.serverWrites(leg)) }
                if server.ending != nil, server.outbox.isEmpty || server.ending == .reset {
                    moves.append(.serverEnds(leg))
                }
            }
        }
        return moves
    }

    /// Whether the start of a head is held, which is not done for ever.
    var isHoldingHead: Bool { relay.isHoldingHead || judge?.isHoldingHead == true }

    /// The rest of a head has not come in time, or there is no room for it.
    mutating func giveUpHead(_ at: Instant, _ chance: inout Chance) {
        dispatch(.overdue, at, &chance)
    }

    /// Something that peers do without a cause.
    mutating func disturb(_ at: Instant, _ chance: inout Chance) {
        guard !plan.isPolite else { return }
        if isHoldingHead, chance.percent(10) { return giveUpHead(at, &chance) }
        let servers = sockets.indices.filter { sockets[$0].server != nil && !sockets[$0].isDead }
        switch chance.below(4) {
        case 0 where !servers.isEmpty:
            let index = chance.pick(servers)
            sockets[index].server?.speakUnasked(&chance)
        case 1: client.losePatience()
        case 2 where chance.percent(10):
            client.ending = chance.pick([.end, .close, .reset])
        default: break
        }
    }

    mutating func make(_ move: Move, _ at: Instant, _ chance: inout Chance) {
        switch move {
        case .room:
            hasRoom = true
            updateReading()
        case .clientSpeaks:
            client.speak(&chance)
        case .clientWrites:
            guard let index = index(clientLeg) else { return }
            let room = WorldSocket.capacity - sockets[index].inbound.count
            let bytes = client.outbox.take(max(0, room))
            sockets[index].inbound.append(bytes)
        case .serverWrites(let leg):
            guard let index = index(leg) else { return }
            let room = WorldSocket.capacity - sockets[index].inbound.count
            let bytes = sockets[index].server?.outbox.take(max(0, room)) ?? []
            sockets[index].inbound.append(bytes)
        case .clientEnds:
            guard let index = index(clientLeg), let ending = client.ending else { return }
            client.ending = nil
            end(index, isReset: ending == .reset, isDeaf: ending == .close)
        case .serverEnds(let leg):
            guard let index = index(leg), let ending = sockets[index].server?.ending else { return }
            sockets[index].server?.ending = nil
            end(index, isReset: ending == .reset, isDeaf: ending == .close)
        case .read(let leg): read(leg, at, &chance)
        case .inputClosed(let leg): inputClosed(leg, at, &chance)
        case .taken(let leg): taken(leg, &chance)
        case .connected(let leg): connected(leg, at, &chance)
        case .secured(let leg): secured(leg, at, &chance)
        case .gone(let leg): gone(leg, at, &chance)
        case .serverSpeaks, .loseHeart: break
        }
    }

    private mutating func end(_ index: Int, isReset: Bool, isDeaf: Bool) {
        note("the peer of \(sockets[index].leg) \(isReset ? "resets" : isDeaf ? "closes" : "ends")")
        if isReset {
            sockets[index].state = .dead(isReset: true)
            return
        }
        sockets[index].hasPeerEnded = true
        guard isDeaf else { return }
        sockets[index].isPeerDeaf = true
        if !sockets[index].outbound.isEmpty { sockets[index].state = .dead(isReset: true) }
    }

    private mutating func read(_ leg: LegID, _ at: Instant, _ chance: inout Chance) {
        guard let index = index(leg) else { return }
        let most = min(plan.reads, sockets[index].inbound.count)
        let count = plan.reads > 1 && chance.percent(50) ? 1 + chance.below(most) : most
        let bytes = sockets[index].inbound.take(count)
        dispatch(.received(leg, bytes), at, &chance)
    }

    private mutating func inputClosed(_ leg: LegID, _ at: Instant, _ chance: inout Chance) {
        guard let index = index(leg) else { return }
        sockets[index].isInputClosed = true
        // With both directions closed the whole channel is, and nobody hears of the end alone.
        if sockets[index].isOutputClosed {
            sockets[index].settle()
            if sockets[index].isDead { return }
        }
        dispatch(.ended(leg), at, &chance)
    }

    /// The peer takes what has come.
    private mutating func taken(_ leg: LegID, _ chance: inout Chance) {
        guard let index = index(leg) else { return }
        let count = sockets[index].outbound.count
        let bytes = sockets[index].outbound.take(
            chance.isSpent || chance.percent(70) ? count : chance.size(most: count))
        sockets[index].updateWritable()
        sockets[index].settle()
        let isEnd = sockets[index].outbound.isEmpty && sockets[index].isOutputClosed
        if isEnd { sockets[index].hasPeerSeenEnd = true }
        if leg == clientLeg {
            client.take(bytes)
            if isEnd, client.ending == nil { client.ending = .end }
        } else {
            sockets[index].server?.take(bytes, &chance)
            if isEnd, sockets[index].server?.ending == nil { sockets[index].server?.ending = .end }
        }
        updateReading()
    }

    private mutating func connected(_ leg: LegID, _ at: Instant, _ chance: inout Chance) {
        guard let index = index(leg), let server = sockets[index].address else { return }
        if !plan.isPolite, chance.percent(10) {
            sockets.remove(at: index)
            let refusal = Refusal(status: 503, phrase: "Service Unavailable", detail: "no room")
            dispatch(
                chance.percent(30)
                    ? .declined(leg, refusal) : .refused(leg, "Connection refused"), at, &chance)
            return
        }
        guard self.index(clientLeg) != nil else {
            sockets.remove(at: index)
            dispatch(.closed(leg, isReset: false, "closed"), at, &chance)
            return
        }
        sockets[index].state = server.isTLS ? .handshaking : .open
        sockets[index].server = ServerModel(
            plan, number: Int(leg.rawValue) * 100_000, &chance)
        if isEnding { sockets[index].server?.ending = .end }
        dispatch(.noted(leg, .opened, "10.1.1.1:80"), at, &chance)
        if !server.isTLS { dispatch(.ready(leg), at, &chance) }
        updateReading()
    }

    private mutating func secured(_ leg: LegID, _ at: Instant, _ chance: inout Chance) {
        guard let index = index(leg) else { return }
        let isClient = leg == clientLeg
        let isBad =
            !sockets[index].inbound.isEmpty || sockets[index].hasPeerEnded
            || !plan.isPolite && chance.percent(10)
        if isBad {
            dispatch(.noted(leg, .tlsFailed, "unknown"), at, &chance)
            if !isClient { dispatch(.refused(leg, "unknown"), at, &chance) }
            if let index = self.index(leg) { sockets[index].state = .dead(isReset: false) }
            return
        }
        sockets[index].state = .open
        if isClient { client.secured() }
        dispatch(.noted(leg, .tls, "server name x"), at, &chance)
        dispatch(isClient ? .clientSecured : .ready(leg), at, &chance)
    }

    private mutating func gone(_ leg: LegID, _ at: Instant, _ chance: inout Chance) {
        guard let index = index(leg), case .dead(let isReset) = sockets[index].state else { return }
        let socket = sockets.remove(at: index)
        if leg != clientLeg, socket.server == nil {
            // It was closed before anybody had accepted it.
            dispatch(.refused(leg, "closed"), at, &chance)
        } else {
            dispatch(.closed(leg, isReset: isReset, isReset ? "reset" : "closed"), at, &chance)
        }
        updateReading()
    }
}
