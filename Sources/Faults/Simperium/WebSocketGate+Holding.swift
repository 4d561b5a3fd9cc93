import Dissection
import Framing
import Simperium
import Wire

extension WebSocketGate {
    /// A message that somebody decides about, or that waits behind such a one.
    struct Holding {
        /// What is decided about; nil where it waits behind.
        let message: HeldMessage?
        let sender: Peer
        let opcode: WebSocketOpcode
        /// The text of a command, or the payload of the message.
        let payload: [UInt8]
        let isCommand: Bool
        /// The channel of a command; nil where all that is not a heartbeat waits for it.
        let channel: Int?
        let draw: UInt64
    }

    /// The number of bytes that are held of one sender before it is read no further.
    static let maxHeldBack = 1 << 20

    /// Whether so much of a sender is held that it is read no further.
    func holdsMuch(of sender: Peer) -> Bool {
        guard !holdings.isEmpty else { return false }
        let own = holdings.filter { $0.sender == sender }
        return own.count >= Self.maxWaiting
            || own.reduce(0) { $0 + $1.payload.count } >= Self.maxHeldBack
    }

    /// The messages that somebody has to decide about, oldest first.
    var heldMessages: [HeldMessage] { holdings.compactMap(\.message) }

    /// Whether a command has to wait for a held one: of its channel, or a whole message.
    ///
    /// A heartbeat waits for nothing.
    private func isBlocked(_ command: SimperiumCommand) -> Bool {
        if case .heartbeat = command.body { return false }
        return holdings.contains { item in
            item.sender == command.sender
                && (!item.isCommand || command.channel != nil && item.channel == command.channel)
        }
    }

    /// Holds a command.
    mutating func hold(
        _ firing: Firing, _ spoken: Spoken, _ text: [UInt8], _ at: Instant,
        _ verdict: inout MessageVerdict
    ) {
        let sender = spoken.command.sender
        let message = HeldMessage(
            id: session.nextHeld(), connection: context.connection, sender: sender,
            content: .command(
                channel: spoken.command.channel, bucket: spoken.row.bucket,
                key: spoken.row.key ?? spoken.changes.first?.key), bytes: text, firing: firing,
            at: at)
        verdict.before.append(
            row(firing, sender, at, position: spoken.row.position, hasTaken: true))
        verdict.after.append(.wake(at: message.until))
        holdings.append(
            Holding(
                message: message, sender: sender, opcode: .text, payload: text, isCommand: true,
                channel: spoken.command.channel, draw: firing.draw))
    }

    /// Holds a whole message.
    mutating func hold(
        _ firing: Firing, _ message: WebSocketMessage, _ sender: Peer, _ at: Instant,
        _ verdict: inout MessageVerdict
    ) {
        let held = HeldMessage(
            id: session.nextHeld(), connection: context.connection, sender: sender,
            content: .message(isText: message.isText), bytes: message.payload, firing: firing,
            at: at)
        verdict.before.append(row(firing, sender, at, hasTaken: true))
        verdict.isDropped = true
        verdict.after.append(.wake(at: held.until))
        holdings.append(
            Holding(
                message: held, sender: sender, opcode: message.opcode, payload: message.payload,
                isCommand: false, channel: nil, draw: firing.draw))
    }

    /// Has a command wait behind a held one of its channel.
    mutating func holdBack(
        _ spoken: Spoken, _ position: Int, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        let sender = spoken.command.sender
        guard
            let first = holdings.first(where: { $0.sender == sender && $0.message != nil })?
                .message,
            isBlocked(spoken.command)
        else { return }
        let text: [UInt8]
        switch verdict.outcomes[position] {
        case .same: text = spoken.part.text
        case .changed(let changed): text = changed
        case .dropped, .kept: return
        }
        verdict.before.append(
            .fault(first.row(.behind, at: at, position: spoken.row.position)))
        verdict.outcomes[position] = .dropped
        holdings.append(
            Holding(
                message: nil, sender: sender, opcode: .text, payload: text, isCommand: true,
                channel: spoken.command.channel, draw: first.firing.draw))
    }

    /// Has a message that holds no command wait behind a held one.
    mutating func holdBack(
        _ message: WebSocketMessage, _ sender: Peer, _ at: Instant,
        _ verdict: inout MessageVerdict
    ) {
        guard !verdict.isDropped, !message.opcode.isControl,
            let first = holdings.first(where: {
                $0.sender == sender && !$0.isCommand && $0.message != nil
            })?.message
        else { return }
        verdict.before.append(.fault(first.row(.behind, at: at)))
        verdict.isDropped = true
        holdings.append(
            Holding(
                message: nil, sender: sender, opcode: message.opcode, payload: message.payload,
                isCommand: false, channel: nil, draw: first.firing.draw))
    }

    /// Carries out what was decided about a held message.
    ///
    /// - Returns: Whether it is held.
    mutating func decide(
        _ id: HeldMessage.ID, _ decision: HoldDecision, at: Instant,
        into commands: inout [GateCommand]
    ) -> Bool {
        guard let index = holdings.firstIndex(where: { $0.message?.id == id }) else {
            return false
        }
        switch decision {
        case .release: goOn(index, .released, nil, at, &commands)
        case .edit(let bytes): goOn(index, .edited, bytes, at, &commands)
        case .drop: goOn(index, .dropped, nil, at, &commands)
        case .answer(let bytes): goOn(index, .answered, bytes, at, &commands)
        }
        return true
    }

    /// The messages whose time is over go on.
    mutating func expireHeld(_ at: Instant, _ commands: inout [GateCommand]) {
        while let index = holdings.firstIndex(where: { $0.message.map { $0.until <= at } ?? false })
        {
            goOn(index, .expired, nil, at, &commands)
        }
    }

    /// What a peer sent that has left goes nowhere.
    mutating func loseHeld(of sender: Peer, _ at: Instant, _ commands: inout [GateCommand]) {
        for item in holdings where item.sender == sender {
            if let message = item.message { commands.append(.fault(message.row(.left, at: at))) }
        }
        holdings.removeAll { $0.sender == sender }
    }

    private mutating func goOn(
        _ index: Int, _ outcome: HoldOutcome, _ bytes: [UInt8]?, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        let item = holdings.remove(at: index)
        guard let message = item.message else { return }
        commands.append(.fault(message.row(outcome, at: at)))
        switch outcome {
        case .released, .expired, .edited:
            // In its order: it may still wait for one that was held before it.
            holdings.insert(
                Holding(
                    message: nil, sender: item.sender, opcode: item.opcode,
                    payload: bytes ?? item.payload, isCommand: item.isCommand,
                    channel: item.channel, draw: item.draw), at: index)
        case .answered: send(item, bytes ?? [], to: item.sender, &commands)
        case .dropped, .left, .behind: break
        }
        sendUnblocked(from: index, item.sender, &commands)
    }

    /// Sends what waits for no held message any more.
    private mutating func sendUnblocked(
        from index: Int, _ sender: Peer, _ commands: inout [GateCommand]
    ) {
        var place = index
        while place < holdings.count {
            let next = holdings[place]
            let isWaiting = holdings[..<place].contains { other in
                other.sender == next.sender
                    && (!other.isCommand || next.isCommand && other.channel == next.channel)
            }
            guard next.message == nil, next.sender == sender, !isWaiting else {
                place += 1
                continue
            }
            holdings.remove(at: place)
            send(next, next.payload, to: next.sender.other, &commands)
        }
    }

    private mutating func send(
        _ item: Holding, _ payload: [UInt8], to receiver: Peer, _ commands: inout [GateCommand]
    ) {
        if item.isCommand {
            make(payload, to: receiver, draw: item.draw, into: &commands)
        } else {
            emit(item.opcode, payload, to: receiver, draw: item.draw, into: &commands)
        }
    }
}
