import DequeModule
import Dissection
import Framing
import Notation
import Wire

extension HTTPGate {
    /// Adds the firings for a message that is held, or for the response it will get.
    ///
    /// Changes of the message are carried out when it is forwarded; its removal is immediate.
    mutating func decide(
        _ firings: [Firing], _ passage: inout MessagePassage, _ exchange: inout LiveExchange,
        _ at: Instant, _ commands: inout [GateCommand]
    ) {
        defer { forwardReady(&commands) }
        if passage.api.isEmpty, firings.contains(where: \.needsBody) {
            passage.api = exchange.api(context)
        }
        var taker: Firing?
        for (place, firing) in firings.enumerated() {
            let target = firing.target(judgedAt: passage.sender)
            if firing.isAsking {
                if case .holding = passage.course { passage.steps.append(firing) }
                continue
            }
            if target == .client, passage.sender == .server {
                fail([firing], at, .client, "the request was forwarded already", &commands)
                continue
            }
            guard case .holding = passage.course else {
                let isEdit = passage.isReplaced && Self.edits.contains(firing.action.kind)
                if !isEdit { failTaken([firing], by: taker, passage.sender, at, &commands) }
                continue
            }
            if target != passage.sender {
                exchange.deferred.append(firing)
                continue
            }
            taker = firing
            switch firing.action.kind {
            case .status where target == .client, .answer where target == .client, .redirect,
                .block, .serve:
                answer(firing, &passage, exchange, at, &commands)
            case .status, .answer:
                let others = firings[(place + 1)...]
                replace(firing, Array(others), &passage, exchange, at, &commands)
            case .drop:
                tell(firing, at, .client, hasTaken: true, &commands)
                takeAway(&passage, &commands)
                let closes = firing.action.flag("close")
                if closes { close(firing, isReset: false, behind: .client, at, &commands) }
                state = closes ? .over : .deaf
            case .loseAnswer:
                lose(firing, &passage, at, &commands)
            case .close, .reset:
                if firing.afterNanoseconds == 0 {
                    tell(firing, at, passage.sender, hasTaken: true, &commands)
                    takeAway(&passage, &commands)
                    commands.append(.close(isReset: firing.action.kind == .reset))
                    state = .over
                } else {
                    carryOutInTime(firing, at, sender: passage.sender, &commands)
                }
            case .halfClose
            where target == .client && firing.action.text("sender") == "client":
                // Behind the request, so that it is whole.
                passage.steps.append(firing)
            case .halfClose, .stall, .bandwidth, .slice, .cut, .blackout:
                carryOutInTime(firing, at, sender: passage.sender, &commands)
            default:
                passage.steps.append(firing)
            }
        }
        if passage.course != .holding {
            passage.steps.removeAll(where: \.isAsking)
            abandon(&passage, takenBy: taker, at, &commands)
        }
    }

    /// Answers a request in the server's place.
    mutating func answer(
        _ firing: Firing, _ passage: inout MessagePassage, _ exchange: LiveExchange,
        _ at: Instant, _ commands: inout [GateCommand], with ready: LocalAnswer? = nil
    ) {
        // A client that waits for 100 Continue may never send the body.
        let isWaiting =
            exchange.requestEndedAt == nil && passage.rawBody.isEmpty
            && passage.head.contains(token: "100-continue", in: "expect")
            && !exchange.isAskedToContinue
        let unixSeconds = context.clock.unixSeconds(at: at)
        var made =
            ready
            ?? (firing.action.kind == .serve
                ? LocalAnswer(
                    serving: file(firing, passage.head), to: passage.head, unixSeconds: unixSeconds,
                    closing: isWaiting)
                : LocalAnswer(
                    firing, to: passage.head, api: exchange.row(context).api,
                    unixSeconds: unixSeconds, closing: isWaiting))
        var due = at.later(by: firing.afterNanoseconds)
        for step in passage.steps + exchange.deferred where step.action.kind == .latency {
            tell(step, at, .client, &commands)
            due = due.later(by: step.delay)
        }
        tell(firing, at, .client, hasTaken: true, &commands)
        let changes = edits(of: made, to: exchange, at)
        made = edited(
            made, to: exchange, by: changes, statedAbout: .client, at, due: &due, &commands)
        takeAway(&passage, &commands)
        passage.answerDue = due.nanoseconds
        if isWaiting {
            give(made, passage, at, &commands)
        } else {
            passage.answer = made
        }
    }

    /// The answer with the file that a rule serves.
    private func file(_ firing: Firing, _ head: HTTPHead) -> FileAnswer {
        let found = session.files.file(
            firing.action.text("value") ?? "", for: RequestAddress(head).path)
        return FileAnswer(found, type: firing.action.text("type"), to: head)
    }

    /// Gives the client another answer than the server's.
    ///
    /// What other rules do to the server's answer is done to this one.
    private mutating func replace(
        _ firing: Firing, _ others: [Firing], _ passage: inout MessagePassage,
        _ exchange: LiveExchange, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        var made = LocalAnswer(
            firing, to: exchange.head, api: exchange.row(context).api,
            unixSeconds: context.clock.unixSeconds(at: at),
            closing: passage.head.contains(token: "close", in: "connection"))
        let wasClosing = made.closes
        var due = at.later(by: firing.afterNanoseconds)
        let raw = passage.raw
        tell(firing, at, .server, hasTaken: true, &commands)
        let place = commands.count
        made = edited(
            made, to: exchange,
            by: passage.steps + others.filter { $0.target(judgedAt: .server) == .server },
            statedAbout: .server, at, due: &due, &commands)
        if due > at { commands.insert(.hold(sender: .server, until: due), at: place) }
        commands.append(.replace(sender: .server, raw, by: made.bytes))
        if made.closes, !wasClosing {
            commands.append(.close(isReset: false))
            state = .over
        }
        passage.rawBody = []
        passage.course = .swallowing
        passage.isReplaced = true
    }

    /// Keeps an answer from the client.
    private mutating func lose(
        _ firing: Firing, _ passage: inout MessagePassage, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        tell(firing, at, .server, hasTaken: true, &commands)
        takeAway(&passage, &commands)
        let how = firing.action.text("how") ?? "close"
        guard how == "stall" else {
            close(firing, isReset: how == "reset", behind: .server, at, &commands)
            state = .over
            return
        }
        // Later answers would be taken for this one.
        state = .deaf
        for index in waiting.indices.dropFirst() { waiting[index].isRepetition = true }
    }

    /// Closes the connection after what `sender` sent, or when the time of that has come.
    private func close(
        _ firing: Firing, isReset: Bool, behind sender: Peer, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        wait(firing, sender, at, &commands)
        commands.append(.close(isReset: isReset))
    }

    /// Holds the further bytes of a sender until the time of a delayed action.
    func wait(
        _ firing: Firing, _ sender: Peer, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        guard firing.afterNanoseconds > 0 else { return }
        commands.append(.hold(sender: sender, until: at.later(by: firing.afterNanoseconds)))
    }

    /// Drops a message.
    private func takeAway(_ passage: inout MessagePassage, _ commands: inout [GateCommand]) {
        let raw = passage.raw
        switch passage.sender {
        case .client:
            commands.append(.keep(sender: .client, raw))
            passage.course = .keeping
        case .server:
            commands.append(.replace(sender: .server, raw, by: []))
            passage.course = .swallowing
        }
        passage.rawBody = []
        passage.contents = []
    }

    // MARK: On its way

    /// Processes bytes of a body, of which the last `count` are content.
    mutating func carry(
        _ raw: ArraySlice<UInt8>, content count: Int, _ passage: inout MessagePassage,
        _ at: Instant, _ commands: inout [GateCommand]
    ) {
        switch passage.course {
        case .holding:
            passage.hold(raw, content: count)
        case .keeping:
            commands.append(.keep(sender: passage.sender, Array(raw)))
        case .swallowing:
            commands.append(.replace(sender: passage.sender, Array(raw), by: []))
        case .passing:
            edit(raw.dropLast(count), isContent: false, &passage, at, &commands)
            edit(raw.suffix(count), isContent: true, &passage, at, &commands)
        }
    }

    /// Forwards a held message, with the actions of all rules applied.
    mutating func release(
        _ passage: inout MessagePassage, of exchange: LiveExchange, isWhole: Bool, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        passage.course = .passing
        var made: [GateCommand] = []
        var holding: Firing?
        var asking: Firing?
        var head: EditableHead?
        var body: EditedBody?
        for step in passage.steps {
            let start = made.count
            switch step.action.kind {
            case .latency:
                tell(step, at, passage.sender, &made)
                made.append(.hold(sender: passage.sender, until: at.later(by: step.delay)))
                continue
            case .hold where step.isAsking:
                if isWhole { asking = asking ?? step }
                continue
            case .hold:
                if let problem = problem(ofHolding: exchange, isWhole: isWhole) {
                    fail([step], at, passage.sender, problem, &made)
                } else {
                    holding = holding ?? step
                }
                continue
            case .edit where step.needsBody, .cutXML:
                guard isWhole else {
                    if stream(step, &passage) {
                        tell(
                            step, at, passage.sender, hasTaken: true,
                            detail: note(on: step, passage),
                            &made)
                        break
                    }
                    fail(
                        [step], at, passage.sender,
                        passage.isEventStream ? Self.eventStream : Self.notWhole,
                        &made)
                    continue
                }
                guard editBody(step, &body, passage, at, &made) else { continue }
            case .setHeader, .removeHeader, .addHeader, .edit, .contentType, .length:
                guard editHead(step, &head, passage, at, &made) else { continue }
            case .map:
                guard let server = route(step, passage, at, &made) else { continue }
                made.append(.route(to: server))
                // In one piece, also where it stays as it is.
                head = head ?? EditableHead(passage.head)
            case .recorded:
                fail([step], at, passage.sender, Self.notWhole, &made)
                continue
            case .corrupt, .truncate:
                let size = isWhole ? Int64(passage.content.count) : passage.statedSize
                guard size != 0, passage.stream == nil, passage.editor.add(step, size: size) else {
                    let problem = size == 0 ? Self.noBody : Self.editedTwice
                    fail([step], at, passage.sender, problem, &made)
                    continue
                }
            default:
                continue
            }
            if step.afterNanoseconds > 0 {
                let due = at.later(by: step.afterNanoseconds)
                made.insert(.hold(sender: passage.sender, until: due), at: start)
            }
        }
        if let stream = passage.stream {
            var changed = head ?? EditableHead(passage.head)
            stream.frame(&changed)
            head = changed
        }
        if let body {
            var changed = head ?? EditableHead(passage.head)
            let bytes = body.framed(&changed)
            made.append(
                .replace(sender: passage.sender, passage.raw, by: changed.bytes + bytes))
        } else {
            if let head {
                made.append(
                    .replace(sender: passage.sender, passage.rawHead, by: head.bytes))
            } else {
                made.pass(passage.rawHead[...], from: passage.sender)
            }
            releaseBody(&passage, at, &made)
        }
        if passage.steps.contains(where: \.repeatsBytes) { passage.released = made.sentOn }
        if let holding {
            made = held(made, by: holding, passage, exchange, at)
        } else if let asking {
            made = asked(made, by: asking, passage, exchange, at)
        }
        passage.rawBody = []
        passage.contents = []
        for command in made {
            if case .pass(let sender, let bytes) = command {
                commands.pass(bytes[...], from: sender)
            } else {
                commands.append(command)
            }
        }
    }

    private mutating func releaseBody(
        _ passage: inout MessagePassage, _ at: Instant, _ made: inout [GateCommand]
    ) {
        let body = passage.rawBody
        var position = 0
        for range in passage.contents {
            edit(body[position..<range.lowerBound], isContent: false, &passage, at, &made)
            edit(body[range], isContent: true, &passage, at, &made)
            position = range.upperBound
        }
        edit(body[position...], isContent: false, &passage, at, &made)
    }

    private mutating func edit(
        _ bytes: ArraySlice<UInt8>, isContent: Bool, _ passage: inout MessagePassage,
        _ at: Instant, _ made: inout [GateCommand]
    ) {
        guard !bytes.isEmpty else { return }
        if case .over = state {
            giveOut(bytes, from: passage.sender, &made)
            return
        }
        let sender = passage.sender
        if passage.stream != nil {
            // Chunks are framed anew.
            let others = isContent ? passage.stream?.take(bytes) ?? [] : []
            made.append(.replace(sender: sender, Array(bytes), by: others))
            return
        }
        guard !passage.editor.isIdle else {
            made.pass(bytes, from: sender)
            return
        }
        for outcome in passage.editor.take(bytes, isContent: isContent) {
            switch outcome {
            case .pass(let part):
                made.pass(part, from: sender)
            case .change(let part, let by, let firing):
                if let firing { tell(firing, at, sender, hasTaken: true, &made) }
                made.append(.replace(sender: sender, Array(part), by: by))
            case .cut(let rest, let firing):
                tell(firing, at, sender, &made)
                made.append(.replace(sender: sender, Array(rest), by: []))
                failEdits(passage.editor.end(), sender, at, &made)
                made.append(.close(isReset: false))
                state = .over
                forwardReady(&made)
            }
        }
    }
}

extension [GateCommand] {
    /// The bytes that the receiver gets of what was sent.
    var sentOn: [UInt8] {
        flatMap { command -> [UInt8] in
            switch command {
            case .pass(_, let bytes), .replace(_, _, let bytes): bytes
            default: []
            }
        }
    }
}
