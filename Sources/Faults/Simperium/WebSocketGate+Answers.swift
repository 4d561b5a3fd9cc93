import Dissection
import Notation
import Simperium
import Wire

extension WebSocketGate {
    /// Answers a client's command in the server's place, or has the server's answer replaced.
    ///
    /// - Returns: Whether the command is kept.
    mutating func answer(
        _ firing: Firing, _ spoken: Spoken, _ position: Int, _ at: Instant,
        _ verdict: inout MessageVerdict
    ) -> Bool {
        let command = spoken.command
        let action = firing.action
        func fail(_ problem: String) -> Bool {
            self.fail(
                firing, command.sender, at, problem, position: spoken.row.position, &verdict)
            return false
        }
        guard command.sender == .client else { return fail("it is not a command of the client") }
        let answers: [[UInt8]]
        switch (action.kind, command.body) {
        case (.error, .changes(let changes)):
            guard let channel = command.channel else { return fail("the command has no channel") }
            let all = changes.map { refusal(of: $0, channel, action) }
            if action.flag("forwarded") {
                guard changes.contains(where: { !$0.ccids.isEmpty }) else {
                    return fail("no change has a ccid")
                }
                guard refusals.count < Self.maxRefusals else {
                    return fail("\(Self.maxRefusals) refusals wait already")
                }
                for (change, json) in zip(changes, all) {
                    for ccid in change.ccids where refusals.count < Self.maxRefusals {
                        refusals["\(channel):\(ccid)"] = Refusal(firing: firing, json: json)
                    }
                }
                return false
            }
            answers = [Array("\(channel):c:[".utf8) + all.joined(separator: [0x2C]) + [0x5D]]
        case (.cvUnknown, .changesSince), (.changeUnknown, .changesSince),
            (.changeUnknown, .changes), (.authFailure, .initialize), (.authExpired, .initialize):
            guard let channel = command.channel else { return fail("the command has no channel") }
            answers = Self.answers(action, channel: channel)
        case (.cvUnknown, .initialize), (.changeUnknown, .initialize):
            return answerRequest(firing, spoken, position, at, &verdict)
        case (.entityUnknown, .entityRequest):
            answers = [spoken.part.text + [0x0A, 0x3F]]
        case (.wrongHeartbeat, .heartbeat(let count)):
            let number = count &+ 1 &+ (action.integer("by") ?? 1)
            answers = [Array("h:\(number)".utf8)]
        default: return fail("\(action.kind) does not answer such a command")
        }
        verdict.before.append(
            row(firing, .client, at, position: spoken.row.position, hasTaken: true))
        verdict.outcomes[position] = .kept
        for text in answers {
            make(
                MessageVerdict.Made(payload: text, receiver: .client, draw: firing.draw),
                firing, at, &verdict)
        }
        return true
    }

    /// Takes the `cv` out of an `init`, and has the client receive the answer when its channel opens.
    ///
    /// - Returns: False, as the `init` goes on.
    private mutating func answerRequest(
        _ firing: Firing, _ spoken: Spoken, _ position: Int, _ at: Instant,
        _ verdict: inout MessageVerdict
    ) -> Bool {
        let place = spoken.row.position
        var text = spoken.part.text
        if case .changed(let changed) = verdict.outcomes[position] { text = changed }
        guard spoken.command.request == "cv", let channel = spoken.command.channel,
            let rest = CommandEdit.withoutRequest(text)
        else {
            fail(
                firing, .client, at, "there is no cv in the cmd of the init", position: place,
                &verdict)
            return false
        }
        guard openings.count < Self.maxWaiting || openings[channel] != nil else {
            fail(
                firing, .client, at, "\(Self.maxWaiting) channels wait already", position: place,
                &verdict)
            return false
        }
        openings[channel] = Opening(
            firing: firing, answers: Self.answers(firing.action, channel: channel))
        verdict.before.append(row(firing, .client, at, position: place, hasTaken: true))
        verdict.outcomes[position] = .changed(rest)
        return false
    }

    /// Sends what is to follow the server's `auth`; nothing where that is a refusal.
    mutating func answerOpened(
        _ spoken: Spoken, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        guard !openings.isEmpty, case .auth(let reply) = spoken.command.body,
            spoken.command.sender == .server,
            let opening = spoken.command.channel.flatMap({ openings.removeValue(forKey: $0) }),
            case .accepted = reply
        else { return }
        for text in opening.answers {
            make(
                MessageVerdict.Made(
                    payload: text, receiver: .client, draw: opening.firing.draw),
                opening.firing, at, &verdict)
        }
    }

    /// The answer of a server on a channel.
    static func answers(_ action: FaultAction, channel: Int) -> [[UInt8]] {
        let code = Int(action.integer("code") ?? 401)
        let message = action.text("message") ?? words(code)
        let failure = SimperiumMessage(channel, .auth(.refused(code: code, message: message)))
        let all: [SimperiumMessage] =
            switch action.kind {
            case .cvUnknown: [SimperiumMessage(channel, .unknownChangeVersion(isLegacy: false))]
            case .changeUnknown: [SimperiumMessage(channel, .unknownChangeVersion(isLegacy: true))]
            case .authFailure: [failure]
            case .authExpired: [SimperiumMessage(channel, .auth(.expired)), failure]
            default: []
            }
        return all.map { $0.encoded(by: .server) }
    }

    /// The real server's message for a code of `auth`.
    private static func words(_ code: Int) -> String {
        switch code {
        case 400: "Token malformed"
        case 500...599: "Error validating token"
        default: "Token invalid"
        }
    }

    /// The refusal of a change, as real servers write it.
    private func refusal(
        of change: SimperiumChange<Range<Int>>, _ channel: Int, _ action: FaultAction
    ) -> [UInt8] {
        let code = String(action.integer("code") ?? 400)
        var members = [JSONObject.Member("ccids", .array(change.ccids.map { .string($0) }))]
        if let key = change.key { members.append(.init("id", .string(key))) }
        if let client = change.clientID ?? conversation.clientID(channel) {
            members.append(.init("clientid", .string(client)))
        }
        members.append(
            .init("error", action.text("as") == "string" ? .string(code) : .number(code)))
        return JSONValue.object(JSONObject(members)).bytes()
    }

    /// Puts refusals in the place of acknowledgements of changes that were forwarded.
    mutating func answerForwarded(
        _ spoken: Spoken, _ position: Int, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        guard !refusals.isEmpty, spoken.command.sender == .server,
            let channel = spoken.command.channel, case .changes = spoken.command.body
        else { return }
        var used: [Firing] = []
        var done: [String] = []
        let changed = CommandEdit.refusing(spoken.part.text) { ccids in
            for ccid in ccids {
                guard let refusal = refusals["\(channel):\(ccid)"] else { continue }
                done.append("\(channel):\(ccid)")
                used.append(refusal.firing)
                return refusal.json
            }
            return nil
        }
        for key in done { refusals[key] = nil }
        for key in refusals.keys where refusals[key].map({ used.contains($0.firing) }) == true {
            refusals[key]?.isDone = true
        }
        guard let changed else { return }
        for firing in used {
            verdict.before.append(
                row(firing, .server, at, position: spoken.row.position, hasTaken: true))
            wait(firing, .server, at, &verdict)
        }
        verdict.outcomes[position] = .changed(changed)
    }

    /// Begins to hold the changes of a channel back.
    mutating func beginJoining(
        _ firing: Firing, _ spoken: Spoken, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        func fail(_ problem: String) {
            self.fail(
                firing, spoken.command.sender, at, problem, position: spoken.row.position, &verdict)
        }
        guard spoken.command.sender == .server, let channel = spoken.command.channel,
            case .changes(let changes) = spoken.command.body, !changes.isEmpty
        else { return fail("the command has no changes of the server") }
        // These are joined with the others that wait.
        guard !joining.contains(where: { $0.channel == channel }) else { return }
        guard joining.count < Self.maxWaiting else {
            return fail("changes of \(Self.maxWaiting) channels wait already")
        }
        let until = Self.moment(at, after: Self.patience)
        let count = Int(clamping: firing.action.integer("count") ?? 2)
        joining.append(
            Joining(channel: channel, firing: firing, count: count, texts: [], until: until))
        verdict.after.append(.wake(at: until))
    }

    /// Holds changes back that are to be joined with others, or sends them all.
    mutating func join(
        _ spoken: Spoken, _ position: Int, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        guard !joining.isEmpty, spoken.command.sender == .server,
            case .changes(let changes) = spoken.command.body, !changes.isEmpty,
            let place = joining.firstIndex(where: { $0.channel == spoken.command.channel })
        else { return }
        let text: [UInt8]
        switch verdict.outcomes[position] {
        case .same: text = spoken.part.text
        case .changed(let changed): text = changed
        case .dropped, .kept: return
        }
        joining[place].texts.append(text)
        let item = joining[place]
        let size = item.texts.reduce(0) { $0 + $1.count }
        guard item.texts.count >= item.count || size > WebSocketLane.maxHeld else {
            verdict.before.append(
                row(
                    item.firing, .server, at, position: spoken.row.position, hasTaken: true))
            verdict.outcomes[position] = .dropped
            return
        }
        joining.remove(at: place)
        let all = ChangeJoining.joined(item.texts, channel: item.channel)
        verdict.before.append(
            row(
                item.firing, .server, at, position: spoken.row.position, hasTaken: true))
        verdict.outcomes[position] = .changed(all)
    }
}
