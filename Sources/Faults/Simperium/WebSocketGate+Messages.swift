import Dissection
import Filters
import Framing
import Simperium
import Wire

extension WebSocketGate {
    /// One command of the message that is judged.
    struct Spoken {
        let part: SocketConversation.Part
        let command: SimperiumCommand
        let row: CommandRow
        let changes: [ChangeRow]
    }

    /// Decides about a complete message, and returns what that releases.
    mutating func judge(
        _ message: WebSocketMessage, from sender: Peer, at: Instant,
        into commands: inout [GateCommand]
    ) {
        let index = sender.rawValue
        let isControl = message.opcode.isControl
        let hasGone = message.start < lanes[index].start
        let frames = lanes[index].frames(isControl: isControl)
        let isWhole =
            (isControl || lanes[index].endsMessage)
            && message.size == Int64(message.payload.count) && Self.isReadable(message)
        guard isWhole, !hasGone, !lanes[index].isClosed else {
            let swallows = lanes[index].isClosed
            if !isControl, !swallows, !hasGone, lanes[index].isAltered, message.isCompressed,
                Self.isReadable(message)
            {
                // Longer than what can be written again.
                commands.append(.close(isReset: false))
            }
            if isWhole, message.opcode == .text { follow(message, from: sender) }
            lanes[index].settle(frames, swallows ? .replace([]) : .pass, changesContext: false)
            lanes[index].flush(into: &commands)
            return
        }
        var verdict: MessageVerdict
        var spoken: [Spoken] = []
        if message.payload.count <= WebSocketLane.maxHeld {
            verdict = ask(message, from: sender, at: at, &spoken)
        } else {
            verdict = MessageVerdict(count: 1)
        }
        carryOut(verdict, message, spoken, frames, sender, at, &commands)
    }

    /// Whether its payload is what the sender compressed.
    private static func isReadable(_ message: WebSocketMessage) -> Bool {
        guard message.isCompressed, let problem = message.problem else { return true }
        return problem.hasPrefix("not UTF-8")
    }

    /// Notes the channels that a message opens.
    private mutating func follow(_ message: WebSocketMessage, from sender: Peer) {
        guard sender == .client, message.payload.count <= WebSocketLane.maxHeld,
            SocketConversation.mayOpen(message.payload) || isUndecided
        else { return }
        for part in conversation.parts(of: message.payload, from: sender)
        where SocketConversation.mayOpen(part.text) {
            conversation.note(SimperiumCommand.parse(part.text, from: sender))
        }
    }

    private var isUndecided: Bool {
        switch conversation.form {
        case .unknown, .sockJS: true
        case .raw, .other: false
        }
    }

    /// Evaluates the rules.
    private mutating func ask(
        _ message: WebSocketMessage, from sender: Peer, at: Instant, _ spoken: inout [Spoken]
    ) -> MessageVerdict {
        let interest = session.interest
        guard wantsCommands || interest.contains(.message) || !postponed.isEmpty,
            !mayGlance(sender.rawValue) || concerns(message, from: sender)
        else {
            if message.opcode == .text { follow(message, from: sender) }
            return MessageVerdict(count: 1)
        }
        let row = messageRow(message, sender, at)
        var firings: [Firing]?
        if conditions.onlyAsks, !wantsCommands, postponed.isEmpty, !isUndecided {
            let subject = MessageSubject(session: context.session, row: row)
            let found = judged(subject, at)
            guard !found.allSatisfy(\.isAsking) else {
                // The commands in it do not have to be read.
                if message.opcode == .text { follow(message, from: sender) }
                var verdict = MessageVerdict(count: 1)
                for firing in found { _ = willAsk(firing, .message(subject), nil, &verdict) }
                return verdict
            }
            // Rules came just now.
            firings = found
        }
        var notes: [NoteRow] = []
        if message.opcode == .text {
            let parts: [SocketConversation.Part]
            (parts, notes) = read(row)
            for (position, part) in parts.enumerated() {
                let command = SimperiumCommand.parse(part.text, from: sender)
                conversation.note(command)
                spoken.append(self.spoken(part, command, position, at))
                notes += command.notes.map {
                    NoteRow(
                        connection: context.connection, sender: sender, at: at, place: row.place,
                        code: $0.code.rawValue, detail: $0.detail)
                }
            }
        }
        var verdict = MessageVerdict(count: max(1, spoken.count))
        let subject = MessageSubject(session: context.session, row: row, notes: notes)
        let waitingBefore = postponed.count
        if interest.contains(.message) {
            for firing in firings ?? judged(subject, at)
            where !willAsk(firing, .message(subject), nil, &verdict)
                && act(
                    firing, on: message, sender, at, holdsCommands: !spoken.isEmpty, &verdict)
            { break }
        }
        if spoken.isEmpty { holdBack(message, sender, at, &verdict) }
        for position in spoken.indices where !verdict.isDropped {
            let each = spoken[position]
            let waiting = postponed.count
            answerForwarded(each, position, at, &verdict)
            answerOpened(each, at, &verdict)
            if interest.contains(.command) {
                let client = conversation.clientID(each.command.channel) ?? context.client
                let key = each.row.key ?? each.changes.first?.key ?? ""
                let command = CommandSubject(
                    message: subject, row: each.row, changes: each.changes)
                for firing in session.judge(
                    command,
                    phase: .command,
                    scope: FaultScope(connection: context.connection, client: client, key: key),
                    at: at)
                where !willAsk(firing, .command(command), position, &verdict)
                    && act(firing, on: each, position, at, &verdict)
                { break }
            }
            holdBack(each, position, at, &verdict)
            join(each, position, at, &verdict)
            overtake(waiting, &verdict) {
                $0.isCommand && $0.sender == sender && $0.channel == each.command.channel
            }
        }
        overtake(min(waitingBefore, postponed.count), &verdict) {
            !$0.isCommand && $0.sender == sender
        }
        return verdict
    }

    /// Evaluates the rules about messages.
    private func judged(_ subject: MessageSubject, _ at: Instant) -> [Firing] {
        session.judge(
            subject, phase: .message,
            scope: FaultScope(
                connection: context.connection,
                client: conversation.clientID(nil) ?? context.client, key: ""), at: at)
    }

    /// The texts of the commands in a message, and what is to be noted where there are none.
    private mutating func read(
        _ row: MessageRow
    ) -> (parts: [SocketConversation.Part], notes: [NoteRow]) {
        do throws(SockJSError) {
            return (try conversation.read(row.payload, from: row.sender), [])
        } catch {
            let note = NoteRow(
                connection: context.connection, sender: row.sender, at: row.endedAt,
                place: row.place, code: ConversationNote.sockJSMalformed.rawValue,
                detail: error.description)
            return ([], [note])
        }
    }

    /// Releases postponed messages among the first `count` after this one.
    private mutating func overtake(
        _ count: Int, _ verdict: inout MessageVerdict, _ fits: (Postponed) -> Bool
    ) {
        guard count > 0 else { return }
        for item in postponed.prefix(count) where fits(item) {
            verdict.made.append(
                MessageVerdict.Made(
                    opcode: item.opcode, payload: item.payload, isCommand: item.isCommand,
                    receiver: item.sender.other, draw: item.draw))
        }
        let rest = postponed.prefix(count).filter { !fits($0) }
        postponed.replaceSubrange(..<count, with: rest)
    }

    private func spoken(
        _ part: SocketConversation.Part, _ command: SimperiumCommand, _ position: Int,
        _ at: Instant
    ) -> Spoken {
        let bucket = command.channel.flatMap { conversation.buckets[$0] }
        let row = CommandRow(
            id: CommandID(0), message: MessageID(0), connection: context.connection,
            position: position, sender: command.sender, at: at, channel: command.channel,
            name: command.name, bucket: bucket, app: conversation.app,
            text: part.range == nil ? nil : part.text,
            payloadOffset: command.payload.lowerBound, payloadSize: command.payload.count,
            key: command.key, request: command.request, cv: command.cv, error: command.error,
            problem: command.problem?.description)
        var changes: [ChangeRow] = []
        if case .changes(let found) = command.body {
            changes = found.enumerated().map {
                ChangeRow($0.element, command: row.id, position: $0.offset, bucket: bucket)
            }
        }
        return Spoken(part: part, command: command, row: row, changes: changes)
    }

    private func messageRow(
        _ message: WebSocketMessage, _ sender: Peer, _ at: Instant
    ) -> MessageRow {
        MessageRow(
            id: MessageID(0), connection: context.connection, exchange: ExchangeID(0),
            sender: sender, at: lanes[sender.rawValue].time(of: message.start) ?? at,
            endedAt: at, opcode: Int(message.opcode.rawValue),
            payload: message.payload, isText: message.isText, size: message.size,
            wireSize: message.wireSize, isCompressed: message.isCompressed,
            frames: message.frames, closeCode: message.closeCode, problem: message.problem,
            place: Place(chunk: ChunkID(0), offset: 0))
    }

    /// Appends a message as it was decided, with what is sent with it.
    private mutating func carryOut(
        _ verdict: MessageVerdict, _ message: WebSocketMessage, _ spoken: [Spoken],
        _ frames: [Int], _ sender: Peer, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        let index = sender.rawValue
        let parked = asked(verdict, message, spoken, frames, sender, at)
        // Whoever decides may change it, and later ones would refer to what the receiver never got.
        if !parked.isEmpty, message.isCompressed, lanes[index].takesContextOver {
            lanes[index].isAltered = true
        }
        let isRewritten = lanes[index].isAltered && message.isCompressed
        let mask = frames.first.flatMap { lanes[index].segments[$0].mask }
        let decision: WebSocketLane.Decision
        if verdict.isSame {
            decision =
                isRewritten
                ? .replace(frame(message.payload, message, sender, mask))
                : parked.isEmpty ? .pass : .offer
        } else if verdict.isDropped {
            decision = .replace([])
        } else {
            decision = parts(verdict, message, spoken, sender, mask)
        }
        // What is not forwarded is lost by one fault, so that nothing appears to be lost twice.
        var stated: Int?
        if verdict.isDropped, isLosing(verdict, message, spoken) {
            stated = verdict.actions.firstIndex { $0.endsConnection }
        }
        var before = verdict.before + parked.map { .park($0) }
        if let stated {
            before.append(row(verdict.actions[stated], sender, at, hasTaken: true))
        }
        lanes[index].settle(
            frames, before: before, decision,
            changesContext: message.isCompressed && !verdict.isSame)
        lanes[index].flush(into: &commands)
        for made in verdict.made { give(made, &commands) }
        for (index, firing) in verdict.actions.enumerated() {
            let isStated = index == stated || firing.action.kind == .halfClose
            perform(firing, sender: sender, isStated: isStated, at: at, into: &commands)
        }
        commands += verdict.after
    }

    /// Whether something of a dropped message was not removed by another fault already.
    private func isLosing(
        _ verdict: MessageVerdict, _ message: WebSocketMessage, _ spoken: [Spoken]
    ) -> Bool {
        guard !spoken.isEmpty else { return !message.payload.isEmpty }
        return zip(spoken, verdict.outcomes).contains { _, outcome in
            switch outcome {
            case .same, .changed: true
            case .dropped, .kept: false
            }
        }
    }

    /// What happens to a message of which some commands were altered.
    private mutating func parts(
        _ verdict: MessageVerdict, _ message: WebSocketMessage, _ spoken: [Spoken],
        _ sender: Peer, _ mask: UInt32?
    ) -> WebSocketLane.Decision {
        guard case .sockJS = conversation.form, spoken.count == verdict.outcomes.count,
            spoken.first?.part.range != nil
        else {
            switch verdict.outcomes.first {
            case .changed(let text)?: return .replace(frame(text, message, sender, mask))
            case .dropped?: return .replace([])
            case .kept?: return .keep
            case .same?, nil: return .pass
            }
        }
        var going: [[UInt8]] = []
        for (outcome, each) in zip(verdict.outcomes, spoken) {
            guard let range = each.part.range else { continue }
            let asSent = Array(message.payload[(range.lowerBound - 1)..<(range.upperBound + 1)])
            switch outcome {
            case .same: going.append(asSent)
            case .changed(let text):
                going.append(Array(SockJSFrame.encode(client: [text]).dropFirst().dropLast()))
            case .kept, .dropped: break
            }
        }
        func list(_ texts: [[UInt8]]) -> [UInt8] {
            let start: [UInt8] = sender == .server ? [0x61, 0x5B] : [0x5B]
            return frame(
                start + Array(texts.joined(separator: [0x2C])) + [0x5D], message, sender, mask)
        }
        guard going.isEmpty else { return .replace(list(going)) }
        return verdict.outcomes.contains(.kept) ? .keep : .replace([])
    }

    /// A message in one frame, without compression.
    private func frame(
        _ payload: [UInt8], _ message: WebSocketMessage, _ sender: Peer, _ mask: UInt32?
    ) -> [UInt8] {
        WebSocketFrameEncoder.encode(
            opcode: message.opcode, payload: payload, mask: sender == .client ? mask ?? 0 : nil)
    }
}

extension Firing {
    /// Whether nothing is forwarded after it.
    fileprivate var endsConnection: Bool {
        [.close, .reset, .closeCode].contains(action.kind)
    }
}
