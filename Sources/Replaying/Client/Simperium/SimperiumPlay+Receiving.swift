internal import Notation
internal import Simperium
internal import Wire

extension SimperiumPlay {
    mutating func receive(_ text: [UInt8], _ id: ConnectionID) {
        guard let socket = socketPlaces[id] else { return }
        switch sockets[socket].phase {
        case .open, .parting, .closing: break
        case .waiting, .over: return
        }
        let command = SimperiumCommand.parse(text, from: .server)
        let message: SimperiumBody<JSONValue> =
            if case .heartbeat(let count) = command.body { .heartbeat(count) } else {
                .notUnderstood
            }
        sockets[socket].heartbeat?.received(SimperiumMessage(nil, message), at: now)
        if command.name == "h", command.channel == nil {
            if sockets[socket].phase == .parting { leave(socket) }
            return
        }
        let stream = sockets[socket].streams.first { streams[$0].channel == command.channel }
        guard let stream else {
            var found = Differences()
            let shown = OneLine.text(String(decoding: text.prefix(200), as: UTF8.self))
            found.add(Difference(.presence, "command", recorded: nil, live: shown))
            return report(
                socket,
                .init(
                    channel: command.channel, bucket: nil, command: nil,
                    line: "a command where none was recorded", differences: found))
        }
        load(stream)
        let isLate = streams[stream].isDead
        switch command.body {
        case .changes(let changes): take(changes, text, stream)
        case .unknownChangeVersion: loseChangeVersion(text, stream)
        case .indexPage where takeOwnPage(command, stream): break
        default: take(command, text, stream)
        }
        if case .auth(let reply) = command.body, !isLate { authorize(reply, stream) }
        advance(stream)
        endIfThrough(socket)
    }

    // MARK: Changes

    private mutating func take(
        _ changes: [SimperiumChange<Range<Int>>], _ text: [UInt8], _ stream: Int
    ) {
        let isAnswer = streams[stream].awaitedCatchUps > 0 && !isByItself(changes, stream)
        for (number, change) in changes.enumerated() {
            take(change, number, text, stream, isOfCatchUp: isAnswer)
            load(stream)
        }
        guard isAnswer else { return }
        streams[stream].awaitedCatchUps -= 1
        guard let index = indexOfCatchUp(stream) else { return }
        let item = streams[stream].expected[index]
        if item.kind == .catchUp(isUnknown: true) {
            var found = Differences()
            found.add(
                Difference(.presence, "command", recorded: "cv, unknown", live: "c, changes"))
            deviate(stream, item.place, "the answer to cv", found)
            return finish(index, of: stream, isSame: false)
        }
        finish(index, of: stream, isSame: true)
        passVanished(item.place, stream)
    }

    /// Whether this is an unsolicited change that arrived while an answer to `cv` was awaited.
    private func isByItself(_ changes: [SimperiumChange<Range<Int>>], _ stream: Int) -> Bool {
        guard changes.count == 1, let change = changes.first else { return false }
        let ccids = change.ccids.map { recordedChanges[$0] ?? $0 }
        let first = streams[stream].expected.dropFirst(streams[stream].floor)
            .prefix(Self.lookahead).first { item in
                !item.isDone && item.kind == .change && item.left.contains { ccids.contains($0) }
            }
        return first.map { !catchUpAnswers.contains(commands[Int($0.place)].id) } ?? false
    }

    private func indexOfCatchUp(_ stream: Int) -> Int? {
        let all = streams[stream].expected
        return all.indices.dropFirst(streams[stream].floor).first { index in
            if case .catchUp = all[index].kind { !all[index].isDone } else { false }
        }
    }

    /// Objects that were made and removed within one answer may be left out of another.
    private mutating func passVanished(_ place: Int32, _ stream: Int) {
        var keys: [String: (isMade: Bool, isRemoved: Bool, ccids: [String])] = [:]
        for item in streams[stream].expected[streams[stream].floor...]
        where item.place == place && item.kind == .change && item.error == nil {
            guard let key = item.key else { continue }
            let isFirst = keys[key] == nil
            if isFirst { keys[key] = (item.element["sv"] == nil && !item.isDone, false, []) }
            keys[key]?.isRemoved = item.isRemoval && !item.isDone
            keys[key]?.ccids += item.ccids
        }
        for (_, each) in keys where each.isMade && each.isRemoved {
            makeOptional(each.ccids, on: stream)
        }
    }

    private mutating func take(
        _ change: SimperiumChange<Range<Int>>, _ number: Int, _ text: [UInt8], _ stream: Int,
        isOfCatchUp: Bool
    ) {
        guard let document = try? JSONDocument.scan(text, in: change.range) else { return }
        let element = JSONValue(document.root)
        let ccids = change.ccids.map { recordedChanges[$0] ?? $0 }
        let place = streams[stream].lastPlace
        let bucket = streams[stream].bucket(at: place)
        let key = change.key.map { key in
            bucket.flatMap { buckets[$0].recordedKeys[key] } ?? key
        }
        let found = counterpart(of: change, ccids, key, stream, bucket)
        if let bucket, let key, let ev = change.ev {
            buckets[bucket].versions.tell(key, live: ev)
        }
        guard let first = found.first else {
            return surprise(change, ccids, element, number, stream)
        }
        // What an answer to `cv` contains may have been sent before, or be sent again.
        if isOfCatchUp { streams[stream].expected[first].isOfCatchUp = true }
        let item = streams[stream].expected[first]
        if found.count == 1, Set(item.ccids) == Set(ccids) || item.ccids.isEmpty {
            answer(first, change, ccids, element, number, stream)
        } else {
            takePart(found, change, ccids, key, number, stream)
        }
        guard change.error == nil else { return }
        streams[stream].received.formUnion(ccids)
        passRepeated(ccids, stream)
    }

    /// What came once may be left out the second time.
    private mutating func passRepeated(_ ccids: [String], _ stream: Int) {
        guard !streams[stream].catchUps.isEmpty else { return }
        let floor = streams[stream].floor
        let end = min(streams[stream].expected.count, floor + Self.lookahead)
        for index in floor..<max(floor, end) {
            let item = streams[stream].expected[index]
            guard !item.isDone, item.kind == .change, item.error == nil,
                item.ccids.contains(where: { ccids.contains($0) }),
                item.ccids.allSatisfy({ streams[stream].received.contains($0) })
            else { continue }
            streams[stream].expected[index].isOptional = true
        }
        skipDone(stream)
    }

    /// The expected changes that a live one is, or is part of; several where it combines them.
    private func counterpart(
        of change: SimperiumChange<Range<Int>>, _ ccids: [String], _ key: String?, _ stream: Int,
        _ bucket: Int?
    ) -> [Int] {
        let floor = streams[stream].floor
        let end = min(streams[stream].expected.count, floor + Self.lookahead)
        var found: [Int] = []
        var left = ccids
        for index in floor..<max(floor, end) {
            let item = streams[stream].expected[index]
            guard item.kind == .change, !item.isDone else { continue }
            if item.left.contains(where: { left.contains($0) }) {
                found.append(index)
                left.removeAll { item.left.contains($0) }
                if left.isEmpty || change.error != nil { return found }
            }
        }
        guard found.isEmpty else { return found }
        // Changes of clients that are not played have other identifiers.
        for index in floor..<max(floor, end) {
            let item = streams[stream].expected[index]
            guard item.kind == .change, !item.isDone, item.key == key,
                (item.error == nil) == (change.error == nil),
                !item.ccids.contains(where: { authors[$0] != nil }),
                !ccids.contains(where: { authors[$0] != nil })
            else { continue }
            return [index]
        }
        return []
    }

    /// A change that is expected came, as a whole.
    private mutating func answer(
        _ index: Int, _ change: SimperiumChange<Range<Int>>, _ ccids: [String],
        _ element: JSONValue,
        _ number: Int, _ stream: Int
    ) {
        let item = streams[stream].expected[index]
        let found = differences(item, element, number, stream)
        var all = order(of: index, stream)
        for one in found.items { all.add(one) }
        if !all.isEmpty { deviate(stream, item.place, line(of: item), all) }
        bind(item, change, stream)
        let ccid = item.ccids.first
        let isOwn = ccid.flatMap { flights[$0]?.stream } == stream
        switch (item.error, change.error) {
        case (nil, let code?) where isOwn:
            // Whether it comes to what was recorded shows when the client has tried again.
            if let ccid, recover(ccid, code, item, stream) {
                streams[stream].rests[item.place]?.isSame = false
                return
            }
        case (let code?, nil):
            if let key = item.key, [404, 405, 417, 440].contains(code) || code >= 500 {
                streams[stream].skips[key] = Set(item.ccids)
            }
        default: break
        }
        if isOwn, let ccid { flights[ccid] = nil }
        finish(index, of: stream, isSame: all.isEmpty)
    }

    /// A change came that is part of an expected one, or several of them at once.
    private mutating func takePart(
        _ found: [Int], _ change: SimperiumChange<Range<Int>>, _ ccids: [String], _ key: String?,
        _ number: Int, _ stream: Int
    ) {
        for index in found {
            var item = streams[stream].expected[index]
            item.left.removeAll { ccids.contains($0) }
            streams[stream].expected[index].left = item.left
            guard item.left.isEmpty else { continue }
            for ccid in item.ccids where flights[ccid]?.stream == stream { flights[ccid] = nil }
            var all = Differences()
            // In the middle of it there is nothing to compare with.
            if index == found.last {
                let members: [(String, JSONValue)] = [
                    ("id", item.key.map { .string($0) } ?? .null),
                    ("ev", item.ev.map { .number(String($0)) } ?? .null),
                ]
                var live: [(String, JSONValue)] = [
                    ("id", change.key.map { .string($0) } ?? .null),
                    ("ev", change.ev.map { .number(String($0)) } ?? .null),
                ]
                if let error = change.error {
                    live.append(("error", .number(String(error))))
                }
                var shortened = item
                shortened.element = .object(JSONObject(members.map { .init($0.0, $0.1) }))
                all = differences(
                    shortened, .object(JSONObject(live.map { .init($0.0, $0.1) })), number, stream)
                bind(item, change, stream)
            }
            if !all.isEmpty { deviate(stream, item.place, line(of: item), all) }
            finish(index, of: stream, isSame: all.isEmpty)
        }
    }

    /// A change came that is not expected.
    private mutating func surprise(
        _ change: SimperiumChange<Range<Int>>, _ ccids: [String], _ element: JSONValue,
        _ number: Int,
        _ stream: Int
    ) {
        let isOurs = ccids.contains { authors[$0] != nil }
        let isRepeated =
            !ccids.isEmpty && change.error == nil
            && ccids.allSatisfy { streams[stream].received.contains($0) }
        let isUnreported = ccids.contains {
            flights[$0]?.stream == stream && !reportedThere.contains($0)
        }
        for ccid in ccids where flights[ccid]?.stream == stream { flights[ccid] = nil }
        // The recorded client had disconnected before it could receive it.
        if isUnreported { return }
        // An answer to `cv` repeats what came before; by itself, only a server repeats it.
        if isOurs, isRepeated, streams[stream].catchUps.isEmpty {
            return bridge(change, stream)
        }
        // What arrived after the recorded client had disconnected, or before among others.
        if isOurs, streams[stream].isExhausted { return }
        if isRepeated, !streams[stream].catchUps.isEmpty { return }
        if settings.isOneOfSeveral, !isOurs { return }
        var found = Differences()
        found.add(
            Difference(.presence, "/\(number)", recorded: nil, live: element.excerpt))
        deviate(
            stream, nil,
            "a change of \(OneLine.text(change.key ?? "an object")) that was not recorded",
            found)
    }

    /// Notes an acknowledgement that came again.
    private mutating func bridge(_ change: SimperiumChange<Range<Int>>, _ stream: Int) {
        let socket = streams[stream].socket
        sockets[socket].played.bridgedCount += 1
        guard sockets[socket].played.bridged.count < PlayedSocket.maxDeviations else { return }
        let key = OneLine.text(change.key ?? "an object")
        let version = change.ev.map { " to version \($0)" } ?? ""
        let channel = streams[stream].channel.map { "channel \($0)" } ?? "connection"
        sockets[socket].played.bridged.append(
            "\(channel): the change of \(key)\(version) was acknowledged again")
    }

    /// Binds the live identifiers of the result of a recorded change.
    private mutating func bind(
        _ item: PlayedStream.Expected, _ change: SimperiumChange<Range<Int>>, _ stream: Int
    ) {
        guard let bucket = streams[stream].bucket(at: item.place) else { return }
        if let key = item.key, let recorded = item.ev, let live = change.ev {
            buckets[bucket].versions.bind(key, recorded: recorded, live: live)
        }
        if let recorded = item.element["cv"]?.string, let live = change.cv {
            buckets[bucket].changeVersions[recorded] = live
        }
        if settings.isOneOfSeveral, let key = item.key { buckets[bucket].seen.insert(key) }
    }

    // MARK: Everything else

    private mutating func take(_ command: SimperiumCommand, _ text: [UInt8], _ stream: Int) {
        let name = command.name
        let all = streams[stream].expected
        var candidates = all.indices.dropFirst(streams[stream].floor).prefix(Self.lookahead)
            .filter { !all[$0].isDone && all[$0].kind == .command(name) }
        if name == "e", candidates.count > 1, let key = command.key {
            let bucket = streams[stream].bucket(at: streams[stream].lastPlace)
            let recorded = bucket.flatMap { buckets[$0].recordedKeys[key] } ?? key
            if let same = candidates.first(where: { asks(all[$0].place, recorded) }) {
                candidates = [same]
            }
        }
        guard let index = candidates.first else {
            if streams[stream].isDead || isUnanswered(name, stream) { return }
            var found = Differences()
            let shown = OneLine.text(String(decoding: text.prefix(200), as: UTF8.self))
            found.add(Difference(.presence, "command", recorded: nil, live: shown))
            return deviate(stream, nil, "a command that was not recorded", found)
        }
        let item = all[index]
        var found = order(of: index, stream)
        for one in compare(item, command, text, stream).items { found.add(one) }
        if !found.isEmpty { deviate(stream, item.place, line(of: item), found) }
        finish(index, of: stream, isSame: found.isEmpty)
    }

    /// Whether the recorded server answered fewer commands than were sent.
    private func isUnanswered(_ name: String, _ stream: Int) -> Bool {
        let question = name == "auth" ? "init" : name
        var asked = streams[stream].client.count { commands[Int($0)].name == question }
        if name == "i" { asked += streams[stream].openingPages }
        return asked > streams[stream].server.count { commands[Int($0)].name == name }
    }

    /// Whether a recorded `e` is about an object.
    private func asks(_ place: Int32, _ key: String) -> Bool {
        SimperiumCommand.parse(text(place), from: .server).key == key
    }

    /// The note that something arrived before what the recorded server had sent before it.
    private func order(of index: Int, _ stream: Int) -> Differences {
        var found = Differences()
        let head = streams[stream].head
        guard index > head, !streams[stream].expected[index].isOptional else { return found }
        let first = streams[stream].expected[head]
        let own = streams[stream].expected[index]
        // The changes of one command may come one by one, and its end before them.
        guard first.place != own.place, !first.isOfCatchUp, !own.isOfCatchUp else { return found }
        if case .catchUp = first.kind { return found }
        found.add(
            Difference(
                .order, "the commands of the channel", recorded: "\(line(of: first)) first",
                live: line(of: own)))
        return found
    }

    private mutating func authorize(_ reply: AuthReply, _ stream: Int) {
        let wasAccepted = streams[stream].server.last {
            $0 <= streams[stream].lastPlace && commands[Int($0)].name == "auth"
        }.map { place in
            let command = SimperiumCommand.parse(text(place), from: .server)
            if case .auth(.accepted) = command.body { return true }
            return false
        }
        if case .accepted = reply { return }
        guard wasAccepted == true else { return }
        close(stream)
    }

    /// Nothing more is sent on a channel, and nothing expected.
    mutating func close(_ stream: Int) {
        guard !streams[stream].isDead else { return }
        let socket = streams[stream].socket
        sockets[socket].played.skipped += streams[stream].client.count - streams[stream].nextClient
        streams[stream].nextClient = streams[stream].client.count
        streams[stream].isDead = true
        for (ccid, flight) in flights where flight.stream == stream { flights[ccid] = nil }
        for (id, other) in turns where other == stream { turns[id] = nil }
        drop(stream)
        progress += 1
    }
}
