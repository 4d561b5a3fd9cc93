import Notation
import Simperium
import Wire

/// What becomes of messages on their way.
extension FireWorld {
    /// So much time passes, and timers are called; on a quick link nothing is on its way meanwhile, but
    /// what the line holds back.
    mutating func pass(_ nanoseconds: Int64) {
        let end = now.nanoseconds + nanoseconds
        guard plan.link == .quick else {
            now.nanoseconds = end
            line.pass(to: now)
            for number in clients.indices { callTimers(number) }
            return
        }
        arrive()
        while now.nanoseconds < end {
            now.nanoseconds = min(end, now.nanoseconds + 100_000_000)
            line.pass(to: now)
            arrive()
            for number in clients.indices { callTimers(number) }
        }
    }

    private mutating func arrive() {
        for _ in 0..<1_000 {
            var isOver = true
            for number in clients.indices where clients[number].session != nil {
                for _ in 0..<line.waiting(from: .client, of: number) {
                    isOver = false
                    deliverToServer(number)
                }
                for _ in 0..<line.waiting(from: .server, of: number) {
                    isOver = false
                    deliverToClient(number)
                }
            }
            takeNews()
            if isOver { return }
        }
    }

    mutating func deliverToServer(_ number: Int) {
        guard let session = clients[number].session,
            let arrival = line.receive(from: .client, of: number)
        else { return }
        if let message = arrival.message, !isCalm, Int.random(in: 0..<30, using: &random) == 0,
            refuse(message, number)
        {
            return
        }
        let admit: (InitRequest) -> Admission = { _ in
            .admitted(user: "user@example.com", account: "user")
        }
        var replies: [ServerReply] = []
        if let text = arrival.text {
            replies = server.receive(text: text, from: session, admit: admit)
        } else if let message = arrival.message {
            replies = server.receive(message, from: session, admit: admit)
        }
        let isChange = if case .changes? = arrival.message?.body { true } else { false }
        for reply in replies {
            // An answer to `cv` tells what was told before.
            if isChange, case .changes(let changes) = reply.body {
                ledger.say(changes)
            }
            for (session, message) in reply.messages {
                guard let place = clients.firstIndex(where: { $0.session == session }) else {
                    continue
                }
                let isLie =
                    plan.lies && place == number && !isCalm
                    && Int.random(in: 0..<10, using: &random) == 0
                line.send(
                    isLie ? Self.lie(about: message) : message, from: .server, of: place,
                    at: now)
            }
        }
    }

    /// Answers a change with an error instead of giving it to the server.
    ///
    /// One that the server has made is left alone: to call it wrong would be a lie, and the client
    /// would rightly send the same work again.
    mutating func refuse(_ message: SimperiumMessage, _ number: Int) -> Bool {
        guard case .changes(let changes) = message.body, let change = changes.first,
            let ccid = change.ccids.first, !ledger.isMade(ccid),
            let code = plan.codes.randomElement(using: &random)
        else { return false }
        let refusal = SimperiumChange<JSONValue>(
            key: change.key, ccids: change.ccids, clientID: "client-\(number)", error: code)
        refusals[code, default: 0] += 1
        ledger.say([refusal])
        line.send(
            SimperiumMessage(message.channel, .changes([refusal])), from: .server, of: number,
            at: now)
        return true
    }

    /// The same message as a refusal, where it is an acknowledgement.
    static func lie(about message: SimperiumMessage) -> SimperiumMessage {
        guard case .changes(let changes) = message.body else { return message }
        return SimperiumMessage(
            message.channel,
            .changes(
                changes.map {
                    .init(key: $0.key, ccids: $0.ccids, clientID: $0.clientID, error: 440)
                }))
    }

    mutating func deliverToClient(_ number: Int) {
        guard clients[number].session != nil,
            let arrival = line.receive(from: .server, of: number), let message = arrival.message
        else { return }
        clients[number].heartbeat?.received(message, at: now)
        // Faults may refuse what the server never heard of.
        if case .changes(let changes) = message.body {
            ledger.say(changes.filter { $0.error != nil })
        }
        guard let channel = message.channel else {
            guard case .logLevel = message.body else { return }
            for channel in plan.buckets.indices { happen(number, channel, .received(message)) }
            return
        }
        guard plan.buckets.indices.contains(channel) else { return }
        happen(number, channel, .received(message))
    }

    mutating func happen(_ number: Int, _ place: Int, _ event: ClientBucket.Event) {
        var commands: [ClientBucket.Command] = []
        clients[number].channels[place].bucket.handle(event, at: now, into: &commands)
        let name = plan.buckets[place]
        var isLost = false
        var needsToken = false
        for command in commands {
            switch command {
            case .send(let message):
                if case .changes(let changes) = message.body { note(changes, number, place, name) }
                line.send(message, from: .client, of: number, at: now)
            case .save(let saving): clients[number].channels[place].stored.apply(saving)
            case .setTimer(let time): clients[number].channels[place].timer = time
            case .rejected(let key, _, _):
                clients[number].channels[place].rejected.append(key)
            case .needsToken: needsToken = true
            case .reconnect: isLost = true
            default: break
            }
        }
        if isLost { return disconnect(number) }
        guard needsToken else { return }
        clients[number].tokens += 1
        let token = Self.token(clients[number].tokens)
        for channel in clients[number].channels.indices { happen(number, channel, .token(token)) }
    }

    /// What was saved before a change was sent tells what is in it.
    mutating func note(
        _ changes: [SimperiumChange<JSONValue>], _ number: Int, _ place: Int, _ bucket: String
    ) {
        for change in changes {
            let key = change.key ?? ""
            let object = clients[number].channels[place].stored.objects[ExactText(key)]
            ledger.send(
                change, .init(bucket: bucket, key: key), ghost: object?.ghost?.data,
                target: object?.sent?.target)
        }
    }
}
