import Dissection
import Framing
import Notation
import Simperium
import Wire

extension WebSocketGate {
    /// Carries out an action on a whole message.
    ///
    /// - Returns: Whether nothing is left that another action could change.
    mutating func act(
        _ firing: Firing, on message: WebSocketMessage, _ sender: Peer, _ at: Instant,
        holdsCommands: Bool, _ verdict: inout MessageVerdict
    ) -> Bool {
        let action = firing.action
        func made() -> MessageVerdict.Made {
            MessageVerdict.Made(
                opcode: message.opcode, payload: message.payload, isCommand: false,
                receiver: sender.other, draw: firing.draw)
        }
        switch action.kind {
        case .drop:
            verdict.before.append(row(firing, sender, at, hasTaken: true))
            verdict.isDropped = true
            if action.flag("close") { close(firing, at, &verdict) }
            return true
        case .hold:
            guard !message.opcode.isControl else {
                fail(firing, sender, at, "a control message is not held", &verdict)
                return false
            }
            hold(firing, message, sender, at, &verdict)
            return true
        case .doubled:
            for _ in 0..<Self.copies(firing, of: message.payload.count) {
                make(made(), firing, at, &verdict)
            }
            verdict.before.append(
                row(
                    firing, sender, at, hasTaken: true))
            return false
        case .reorder:
            guard mayPostpone(message.payload.count) else {
                fail(firing, sender, at, Self.tooManyWait, &verdict)
                return false
            }
            let until = Self.moment(at, after: Self.patience)
            verdict.before.append(row(firing, sender, at, hasTaken: true))
            verdict.isDropped = true
            postponed.append(
                Postponed(
                    sender: sender, opcode: message.opcode, payload: message.payload,
                    isCommand: false, channel: nil, draw: firing.draw, until: until))
            verdict.after.append(.wake(at: until))
            return true
        case .edit:
            do throws(EditProblem) {
                guard !holdsCommands else {
                    throw EditProblem("it holds commands of Simperium, which edit-object changes")
                }
                try edit(firing, message, sender, &verdict)
            } catch {
                fail(firing, sender, at, error.text, &verdict)
                return false
            }
            verdict.before.append(row(firing, sender, at, hasTaken: true))
            wait(firing, sender, at, &verdict)
            return false
        default:
            return actOnSocket(firing, sender, at, &verdict)
        }
    }

    /// Changes the payload of a message that holds no commands.
    private func edit(
        _ firing: Firing, _ message: WebSocketMessage, _ sender: Peer,
        _ verdict: inout MessageVerdict
    ) throws(EditProblem) {
        if let only = firing.action.text("sender"), only != sender.description {
            throw EditProblem("it is a message of the \(sender)")
        }
        guard !message.opcode.isControl else { throw EditProblem("a control message stays") }
        guard let edit = try ContentEdit(firing.action) else { return }
        var payload = message.payload
        if case .changed(let changed)? = verdict.outcomes.first { payload = changed }
        let changed = try edit.apply(to: payload, type: nil)
        guard changed != payload else { throw EditProblem("the message is the same with it") }
        verdict.outcomes[0] = .changed(changed)
    }

    /// Carries out what does not depend on the message.
    ///
    /// - Returns: Whether the message is dropped.
    mutating func actOnSocket(
        _ firing: Firing, position: Int = 0, _ sender: Peer, _ at: Instant,
        _ verdict: inout MessageVerdict
    ) -> Bool {
        switch firing.action.kind {
        case .send, .closeCode, .close, .reset, .halfClose, .stall, .bandwidth, .slice, .cut,
            .blackout:
            if postpone(firing, at: at, .action, &verdict) { return false }
        default: break
        }
        switch firing.action.kind {
        case .latency:
            let due = Self.moment(
                Self.moment(at, after: Self.delay(firing)), after: firing.afterNanoseconds)
            let about = firing.action.text("sender").map { $0 == "client" ? Peer.client : .server }
            verdict.before.append(row(firing, sender, at, position: position, hasTaken: true))
            verdict.before.append(.hold(sender: about ?? sender, until: due))
            return false
        case .bandwidth, .slice, .cut, .blackout:
            // The message that brings it about is the first that is shaped.
            shaping.append(firing)
            if !firing.isStatedByShaper {
                verdict.before.append(row(firing, sender, at, position: position))
            }
            return false
        case .halfClose:
            // Stated with the message that it stands behind: the sender may send no other.
            verdict.before.append(row(firing, sender, at, position: position))
            verdict.actions.append(firing)
            return false
        case .send:
            verdict.actions.append(firing)
            return false
        case .stall:
            // The reported message is the first that is not forwarded; those after it are not
            // either.
            let isStalled = Self.senders(firing.action).contains(sender)
            perform(
                firing, sender: sender, position: position, hasTaken: isStalled, at: at,
                into: &verdict.before)
            return false
        case .close, .reset, .closeCode:
            verdict.isDropped = true
            verdict.actions.append(firing)
            return true
        default:
            fail(firing, sender, at, "it is not for messages", position: position, &verdict)
            return false
        }
    }

    /// Carries out an action on a command.
    ///
    /// - Returns: Whether nothing is left that another action could change.
    mutating func act(
        _ firing: Firing, on spoken: Spoken, _ position: Int, _ at: Instant,
        _ verdict: inout MessageVerdict
    ) -> Bool {
        let action = firing.action
        let sender = spoken.command.sender
        let place = spoken.row.position
        let text: [UInt8]
        if case .changed(let changed) = verdict.outcomes[position] {
            text = changed
        } else {
            text = spoken.part.text
        }
        func change(_ changed: [UInt8]?, orElse problem: String) -> Bool {
            guard let changed else {
                fail(firing, sender, at, problem, position: place, &verdict)
                return false
            }
            verdict.before.append(row(firing, sender, at, position: place, hasTaken: true))
            wait(firing, sender, at, &verdict)
            verdict.outcomes[position] = .changed(changed)
            return false
        }
        switch action.kind {
        case .drop:
            verdict.before.append(row(firing, sender, at, position: place, hasTaken: true))
            verdict.outcomes[position] = .dropped
            if action.flag("close") { close(firing, at, &verdict) }
            return true
        case .hold:
            hold(firing, spoken, text, at, &verdict)
            verdict.outcomes[position] = .dropped
            return true
        case .doubled:
            for _ in 0..<Self.copies(firing, of: text.count) {
                make(
                    MessageVerdict.Made(
                        payload: text, receiver: sender.other, draw: firing.draw),
                    firing, at, &verdict)
            }
            verdict.before.append(row(firing, sender, at, position: place, hasTaken: true))
            return false
        case .reorder:
            guard mayPostpone(text.count) else {
                fail(firing, sender, at, Self.tooManyWait, position: place, &verdict)
                return false
            }
            let until = Self.moment(at, after: Self.patience)
            verdict.before.append(row(firing, sender, at, position: place, hasTaken: true))
            verdict.outcomes[position] = .dropped
            postponed.append(
                Postponed(
                    sender: sender, opcode: .text, payload: text, isCommand: true,
                    channel: spoken.command.channel, draw: firing.draw, until: until))
            verdict.after.append(.wake(at: until))
            return true
        case .moveCurrent:
            let cv = action.text("to") ?? Self.hexadecimal(firing, digits: 24)
            return change(
                CommandEdit.movingCurrent(text, to: cv), orElse: "it is not a page of an index")
        case .foreignCcids:
            var draws = SplitMix64(seed: firing.draw)
            return change(
                CommandEdit.replacingCcids(text) { Self.hexadecimal(&draws, digits: 32) },
                orElse: "no change has a ccid")
        case .editObject:
            return change(
                CommandEdit.settingMember(
                    text, from: sender, action.text("member") ?? "",
                    to: ContentEdit.value(action.text("to") ?? "")),
                orElse: "no change has the member, and what the object has of it is not known")
        case .versionGap:
            return change(
                CommandEdit.movingVersions(text, by: action.integer("by") ?? 1),
                orElse: "no change modifies an object from one version to another")
        case .malformedDelta:
            return change(
                CommandEdit.breakingDelta(text), orElse: "no change has an operation on a value")
        case .wrongHeartbeat where sender == .server:
            return change(
                CommandEdit.movingHeartbeat(text, by: action.integer("by") ?? 1),
                orElse: "it is not a heartbeat with a number that can be changed so")
        case .unknownChannel:
            return change(
                CommandEdit.movingChannel(text, to: action.integer("to") ?? 9999),
                orElse: "the command has no channel")
        case .compact:
            beginJoining(firing, spoken, at, &verdict)
            return false
        case .error, .cvUnknown, .changeUnknown, .entityUnknown, .authFailure, .authExpired,
            .wrongHeartbeat:
            return answer(firing, spoken, position, at, &verdict)
        default:
            return actOnSocket(firing, position: place, sender, at, &verdict)
        }
    }

    /// States that an action could not be carried out on a message, and why.
    func fail(
        _ firing: Firing, _ sender: Peer, _ at: Instant, _ problem: String, position: Int = 0,
        _ verdict: inout MessageVerdict
    ) {
        verdict.before.append(failure(of: firing, sender, at, position: position, problem))
    }

    /// The problem of a message that cannot be delayed any more.
    private static let tooManyWait =
        "\(maxWaiting) messages or \(maxWaitingBytes >> 20) MiB of them wait already"

    /// Holds a message of a sender until the time of a delayed action.
    func wait(
        _ firing: Firing, _ sender: Peer, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        guard firing.afterNanoseconds > 0 else { return }
        let due = Self.moment(at, after: firing.afterNanoseconds)
        verdict.before.append(.hold(sender: sender, until: due))
    }

    /// Closes the connection, now or when the time of that has come.
    private mutating func close(
        _ firing: Firing, _ at: Instant, _ verdict: inout MessageVerdict
    ) {
        if postpone(firing, at: at, .end, &verdict) { return }
        verdict.after.append(.close(isReset: false))
    }

    /// Injects a message, now or at its due time.
    mutating func make(
        _ made: MessageVerdict.Made, _ firing: Firing, _ at: Instant,
        _ verdict: inout MessageVerdict
    ) {
        if postpone(firing, at: at, .made(made), &verdict) { return }
        verdict.made.append(made)
    }

    /// `at`, and so many nanoseconds more.
    static func moment(_ at: Instant, after nanoseconds: Int64) -> Instant {
        let (sum, overflow) = at.nanoseconds.addingReportingOverflow(nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    private static func delay(_ firing: Firing) -> Int64 {
        let delay = firing.action.duration("by") ?? 0
        let jitter = firing.action.duration("jitter") ?? 0
        guard jitter > 0 else { return max(0, delay) }
        var draws = SplitMix64(seed: firing.draw)
        return max(0, delay + Int64.random(in: -jitter...jitter, using: &draws))
    }

    private static func hexadecimal(_ firing: Firing, digits: Int) -> String {
        var draws = SplitMix64(seed: firing.draw)
        return hexadecimal(&draws, digits: digits)
    }

    private static func hexadecimal(_ draws: inout SplitMix64, digits: Int) -> String {
        let symbols = Array("0123456789abcdef")
        return String((0..<digits).map { _ in symbols[Int(draws.next() >> 60)] })
    }
}
