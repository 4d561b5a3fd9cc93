import Dissection
import Notation
import Simperium
import Wire

/// Answers of the server, and their delivery to the client.
extension SimperiumChangeCheck {
    mutating func takeReply(
        _ scene: Scene, _ session: borrowing SessionView, _ report: inout Report
    ) {
        if let said = scene.command.said { believe(said, scene) }
        // A client ignores commands on a channel that it has not opened.
        guard let heard = scene.command.heard,
            scene.command.origin != .altered || heard.command.channel == scene.channel.number
        else { return lose(scene) }
        let seq = connections[scene.connection]?.heard ?? 0
        switch heard.command.body {
        case .changes(let changes):
            let isAltered = scene.command.origin != .peer
            for change in changes { hear(change, scene, seq, isAltered: isAltered, &report) }
            if changes.allSatisfy({ $0.error == nil }), scene.channel.asks > 0 {
                countAnswer(scene)
                sync(scene)
            }
        case .entity(let reply):
            keys.update(Place(owner: scene.client, key: ExactText(reply.key))) { key in
                key.begin(scene.channel.session)
                key.news += 1
                guard reply.data != nil else {
                    // The client's state is unknown now.
                    key.isSettled = false
                    return
                }
                key.load(reply.version, scene)
                key.show(entity: reply.version, scene, seq)
                key.ledger.happen(.loaded, scene.evidence, scene.at)
            }
        case .indexPage(let page): hear(page, scene, seq)
        default: break
        }
    }

    private mutating func hear(_ page: IndexPage<Range<Int>>, _ scene: Scene, _ seq: Int) {
        for entry in page.entries {
            guard let name = entry.key, let version = entry.version else { continue }
            let place = Place(owner: scene.client, key: ExactText(name))
            guard entry.data != nil || keys.place(of: place) != nil else { continue }
            keys.update(place) { key in
                key.begin(scene.channel.session)
                key.news += 1
                key.listedSeq = seq
                if entry.data != nil {
                    key.load(version, scene)
                    key.show(index: version, scene, seq)
                    key.ledger.happen(.loaded, scene.evidence, scene.at)
                } else if version != key.shown {
                    key.isSettled = false
                }
            }
        }
        countAnswer(scene)
        let first = scene.channel.firstPage ?? seq
        let isLast = page.mark == nil
        connections[scene.connection]?.channels[scene.channel.number]?.firstPage =
            isLast ? nil : first
        guard isLast else { return }
        connections[scene.connection]?.channels[scene.channel.number]?.readFrom = first
        sync(scene)
    }

    private mutating func countAnswer(_ scene: Scene) {
        connections[scene.connection]?.channels[scene.channel.number]?.answers += 1
    }

    // MARK: The bucket

    /// The data of objects as the server sent them.
    private mutating func believe(_ said: CommandEvidence.Version, _ scene: Scene) {
        guard !scene.command.isCut else { return }
        switch said.command.body {
        case .entity(let reply):
            guard let data = reply.data, data.upperBound <= said.text.count else { return }
            truth.store(place(reply.key, scene), reply.version, text: said.text[data])
        case .indexPage(let page):
            for entry in page.entries {
                guard let key = entry.key, let version = entry.version, let data = entry.data,
                    data.upperBound <= said.text.count
                else { continue }
                truth.store(place(key, scene), version, text: said.text[data])
            }
        case .changes(let changes):
            for change in changes { believe(change, said.text, scene) }
        default: break
        }
    }

    private func place(_ key: String, _ scene: Scene) -> Place {
        Place(owner: scene.bucket, key: ExactText(key))
    }

    private mutating func believe(
        _ change: SimperiumChange<Range<Int>>, _ text: [UInt8], _ scene: Scene
    ) {
        for ccid in change.ccids where change.error == nil {
            let own = Place(owner: scene.client, key: ExactText(ccid))
            sent.change(own) { $0.isMade = true }
            clients[Int(scene.client)].answer(own)
        }
        guard change.error == nil, let name = change.key else { return }
        let place = place(name, scene)
        switch change.effect {
        case .empties: return truth.removeAll()
        case .removes:
            bury(place, change)
            return truth.remove(place)
        case .replaces, .edits: break
        case .nothing: return
        }
        guard let ev = change.ev, !truth.knows(place, ev), let range = change.value,
            range.upperBound <= text.count
        else { return }
        if change.sv == nil {
            truth.remove(place)
            removed.remove(place)
        }
        if let own = change.ccids.first.flatMap({
            sent.place(of: Place(owner: scene.client, key: ExactText($0)))
        }), sent.values[own].change.sv == change.sv, let result = sent.values[own].result,
            sent.values[own].change.data == nil, let value = sent.values[own].change.value,
            let before = kept[sent.values[own].evidence]?.said?.text,
            before[value] == text[range]
        {
            return truth.store(place, ev, value: result, size: sent.values[own].size)
        }
        guard
            let result = change.byOperations.object(
                in: text, after: { truth.value(place, $0) })
        else { return }
        let size = range.count + (change.sv.map { truth.size(place, $0) } ?? 0)
        truth.store(place, ev, value: result, size: size)
    }

    /// Commands that were sent and not delivered.
    private mutating func lose(_ scene: Scene) {
        guard case .changes(let changes)? = scene.command.said?.command.body else { return }
        for change in changes {
            for ccid in change.ccids {
                sent.change(Place(owner: scene.client, key: ExactText(ccid))) {
                    $0.isAnswerLost = true
                }
            }
        }
    }

    // MARK: Changes

    private mutating func hear(
        _ change: SimperiumChange<Range<Int>>, _ scene: Scene, _ seq: Int, isAltered: Bool,
        _ report: inout Report
    ) {
        if change.operation == .empty { return hearEmptying(change, scene) }
        guard let name = change.key else { return }
        let own = change.ccids.lazy.map { Place(owner: scene.client, key: ExactText($0)) }
            .first { sent.place(of: $0) != nil }
        if let own { answer(own, change, scene, seq, &report) }
        if change.error != nil { return }
        let place = Place(owner: scene.client, key: ExactText(name))
        let mine = own.flatMap { sent.place(of: $0) }
        keys.update(place) { key in
            key.begin(scene.channel.session)
            key.news += 1
            // What the client has already tells it nothing else.
            if isAltered, !key.has(change) { key.isAltered = true }
            key.show(change, scene, seq, isOwn: mine != nil)
            if let mine {
                // Not rebased: the client has what it was for, and is now where it led to.
                if sent.values[mine].change.sv == change.sv, change.operation == .modify {
                    key.isSettled = true
                }
                // A copy of all of it takes long.
                key.take(sent.values[mine].change.operation, own?.key)
                key.ledger.take(change, scene, isOwn: true)
            } else {
                key.ledger.take(change, scene, isOwn: false)
                key.remote = SimperiumChangeRemote(
                    evidence: scene.evidence, change: .init(change), at: scene.at)
            }
        }
        if mine == nil, change.clientID != scene.channel.clientID {
            connections[scene.connection]?.channels[scene.channel.number]?.foreign =
                (scene.evidence, scene.at)
        }
    }

    /// All objects were removed.
    private mutating func hearEmptying(_ change: SimperiumChange<Range<Int>>, _ scene: Scene) {
        for ccid in change.ccids {
            let place = Place(owner: scene.client, key: ExactText(ccid))
            clients[Int(scene.client)].answer(place)
            sent.remove(place)
        }
        // The client's state is unknown now.
        keys.removeAll()
    }

    /// The server, or Tapedeck in its place, answers a change of this client.
    private mutating func answer(
        _ own: Place, _ change: SimperiumChange<Range<Int>>, _ scene: Scene, _ seq: Int,
        _ report: inout Report
    ) {
        let answer = Answer(
            code: change.error ?? 0, at: scene.at, seq: seq, connection: scene.connection,
            session: scene.channel.session, evidence: scene.evidence)
        guard let place = sent.use(own) else { return }
        // An answer to what was sent before does not count twice.
        if let before = sent.values[place].answer, before.code == 0, answer.code != 409 {
            let object = Place(owner: scene.client, key: sent.values[place].key)
            keys.change(object) {
                $0.ledger.happen(.acknowledgedAgain, scene.evidence, scene.at)
            }
            return
        }
        let wasMade = sent.values[place].answer?.code == 0
        sent.values[place].answer = answer
        // After a server error it is to be sent again as it is.
        if !(500...599).contains(answer.code) { clients[Int(scene.client)].answer(own) }
        let number = scene.channel.number
        guard answer.code != 0 else {
            connections[scene.connection]?.channels[number]?.unpermitted = 0
            if let first = sent.values[place].repeats {
                judgeDouble(sent.values[place], own, first, scene, &report)
            }
            return
        }
        sent.values[place].refusals += 1
        let mine = sent.values[place]
        if answer.code == 401 {
            connections[scene.connection]?.channels[number]?.unpermitted += 1
        }
        let object = Place(owner: scene.client, key: mine.key)
        let channelAsks = connections[scene.connection]?.channels[number]?.asks ?? 0
        let channelAnswers = connections[scene.connection]?.channels[number]?.answers ?? 0
        let count = clients[Int(scene.client)].count
        var refusal: SimperiumChangeRefusal?
        keys.update(object) { key in
            key.begin(scene.channel.session)
            let made = SimperiumChangeRefusal(
                code: answer.code, ccid: own.key, answer: answer, channelAsks: channelAsks,
                channelAnswers: channelAnswers, keyAsks: key.asks, news: key.news, count: count,
                times: mine.refusals)
            refusal = made
            key.ledger.refuse(answer, isMade: mine.isMade)
            // A client that received "no such object" may create it again.
            if answer.code == 404 { key.presence = .unknown }
            guard key.last == own.key else { return }
            key.refusal = made
            if answer.code == 413 { key.tooLarge += 1 }
            if mine.change.data != nil, scene.command.origin == .peer {
                key.wholeRefusals.append(scene.evidence)
                if key.wholeRefusals.count > 16 { key.wholeRefusals.removeFirst() }
            }
        }
        if let refusal {
            wait(for: refusal, mine, object)
            note(refusal, mine, object, wasMade: wasMade, scene)
        }
        if answer.code == 400, mine.change.operation == .remove {
            find(
                SimperiumChangeRules.removeRefused, scene, mine.key,
                detail: "The removal of \(mine.key) was refused with 400: the bucket's schema "
                    + "may require a last change of the object before it is removed.",
                after: [(mine.evidence, "the removal")], "refused", change.range, &report)
        }
    }

    // MARK: Being up to date

    private mutating func sync(_ scene: Scene) {
        let number = scene.channel.number
        // Most are, and were before this command.
        guard !scene.channel.isSynced,
            connections[scene.connection]?.channels[number]?.isSynced == false
        else { return }
        connections[scene.connection]?.channels[number]?.syncedAt = scene.at
        // In the order in which they were sent: what a set gives differs from run to run.
        let owed = clients[Int(scene.client)].unanswered.filter { place in
            guard let change = sent.peek(place), change.session != scene.channel.session else {
                return false
            }
            return connections[change.connection]?.endedAt != nil
        }.sorted { (sent.peek($0)?.evidence ?? 0) < (sent.peek($1)?.evidence ?? 0) }
        connections[scene.connection]?.channels[number]?.owed = Array(owed.prefix(64))
        for place in owed.prefix(1_000) {
            let patience = patience.deadline(of: SimperiumChangeRules.neverResent)
            deadlines.wait(
                until: Instant(nanoseconds: scene.at.nanoseconds + patience),
                .owed(place, session: scene.channel.session, scene.connection, scene.at))
        }
    }
}

extension SimperiumChangeRecent<SimperiumChangeKey> {
    mutating func update(_ key: Key, _ body: (inout Value) -> Void) {
        if let place = use(key) { return body(&values[place]) }
        var state = SimperiumChangeKey()
        body(&state)
        set(key, state, cost: 1)
    }
}

extension SimperiumChangeRecent {
    mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
        guard let place = use(key) else { return }
        body(&values[place])
    }
}
