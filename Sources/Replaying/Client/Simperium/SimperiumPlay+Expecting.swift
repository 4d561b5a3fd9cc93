internal import Notation
internal import Simperium
internal import Wire

extension SimperiumPlay {
    /// The maximum number of expected commands that are searched for a counterpart.
    static let lookahead = 256
    /// Server commands that are read ahead.
    private static let readAhead = 64

    /// Reads some of what the recorded server sent next.
    mutating func load(_ stream: Int) {
        while streams[stream].loaded < streams[stream].server.count,
            streams[stream].expected.count - streams[stream].head < Self.readAhead
        {
            let next = streams[stream].server[streams[stream].loaded]
            streams[stream].loaded += 1
            load(next, stream)
        }
    }

    private mutating func load(_ place: Int32, _ stream: Int) {
        let text = text(place)
        let command = SimperiumCommand.parse(text, from: .server)
        var items: [PlayedStream.Expected] = []
        var isAnswer = false
        let isAwaited = catchUpAnswers.contains(commands[Int(place)].id)
        switch command.body {
        case .changes(let changes):
            items = changes.map { expected($0, of: text, place, stream) }
            isAnswer = isAwaited
        case .unknownChangeVersion:
            isAnswer = isAwaited
            items = [.init(place: place, kind: .catchUp(isUnknown: true))]
        default: items = [.init(place: place, kind: .command(command.name))]
        }
        if isAnswer {
            if case .changes = command.body {
                for index in items.indices { items[index].isOfCatchUp = true }
                items.append(.init(place: place, kind: .catchUp(isUnknown: false)))
            }
        }
        streams[stream].rests[place] = .init(count: items.count)
        if items.isEmpty { settled(place, stream) }
        streams[stream].expected += items
        skipDone(stream)
    }

    private func expected(
        _ change: SimperiumChange<Range<Int>>, of text: [UInt8], _ place: Int32, _ stream: Int
    ) -> PlayedStream.Expected {
        var item = PlayedStream.Expected(place: place, kind: .change)
        if let document = try? JSONDocument.scan(text, in: change.range) {
            item.element = JSONValue(document.root)
        }
        item.key = change.key
        item.ev = change.ev
        item.isRemoval = change.operation == .remove
        item.error = change.error
        item.ccids = change.ccids
        item.left = change.ccids
        if !change.ccids.isEmpty {
            let isRepeated =
                change.error == nil
                && change.ccids.allSatisfy { streams[stream].received.contains($0) }
            item.isOptional =
                isRepeated || change.ccids.allSatisfy { streams[stream].optional.contains($0) }
        }
        return item
    }

    /// Whether everything has come that the recorded server had sent before a place.
    mutating func hasCome(before place: Int32, on stream: Int) -> Bool {
        load(stream)
        guard streams[stream].reindex == nil else { return false }
        let head = streams[stream].head
        return head >= streams[stream].expected.count
            || streams[stream].expected[head].place > place
    }

    /// Something that was expected arrived, or is no longer waited for.
    mutating func finish(_ index: Int, of stream: Int, isSame: Bool) {
        guard !streams[stream].expected[index].isDone else { return }
        streams[stream].expected[index].isDone = true
        let place = streams[stream].expected[index].place
        streams[stream].rests[place]?.count -= 1
        if !isSame { streams[stream].rests[place]?.isSame = false }
        streams[stream].lastPlace = max(streams[stream].lastPlace, place)
        progress += 1
        if streams[stream].rests[place]?.count == 0 { settled(place, stream) }
        if index == streams[stream].head || index == streams[stream].floor { skipDone(stream) }
    }

    private mutating func settled(_ place: Int32, _ stream: Int) {
        guard let rest = streams[stream].rests.removeValue(forKey: place) else { return }
        let socket = streams[stream].socket
        if rest.isSame { sockets[socket].played.matched += 1 }
        if !rest.isReported { tell(place, socket) }
    }

    /// What waits for a recorded server command waits no longer.
    private mutating func tell(_ place: Int32, _ socket: Int) {
        let command = commands[Int(place)]
        sockets[socket].recordedAt = max(sockets[socket].recordedAt ?? command.at, command.at)
        output.append(.came(command.id))
    }

    /// Continues to what is not done; optional commands are kept for a time.
    mutating func skipDone(_ stream: Int) {
        var (head, floor) = (streams[stream].head, streams[stream].floor)
        let count = streams[stream].expected.count
        while head < count,
            streams[stream].expected[head].isDone || streams[stream].expected[head].isOptional
        {
            let place = streams[stream].expected[head].place
            head += 1
            // Optional commands block nothing.
            guard streams[stream].rests[place]?.isReported == false,
                head == count || streams[stream].expected[head].place != place
            else { continue }
            streams[stream].rests[place]?.isReported = true
            tell(place, streams[stream].socket)
        }
        while floor < head, streams[stream].expected[floor].isDone { floor += 1 }
        (streams[stream].head, streams[stream].floor) = (head, floor)
        if head - floor > 128 {
            finish(floor, of: stream, isSame: true)
            return skipDone(stream)
        }
        guard floor > 256 else { return }
        streams[stream].expected.removeFirst(floor)
        streams[stream].head -= floor
        streams[stream].floor = 0
    }

    /// What is left is optional: it is not waited for, and not reported.
    mutating func drop(_ stream: Int) {
        for index in streams[stream].expected.indices.dropFirst(streams[stream].floor)
        where !streams[stream].expected[index].isDone {
            let isOptional = streams[stream].expected[index].isOptional
            streams[stream].expected[index].isDone = true
            let place = streams[stream].expected[index].place
            streams[stream].rests[place]?.count -= 1
            if !isOptional { streams[stream].rests[place]?.isSame = false }
            if streams[stream].rests[place]?.count == 0 { settled(place, stream) }
        }
        for place in streams[stream].server[streams[stream].loaded...] {
            output.append(.came(commands[Int(place)].id))
        }
        streams[stream].loaded = streams[stream].server.count
        skipDone(stream)
    }

    /// Changes with these identifiers may come or not from now on.
    mutating func makeOptional(_ ccids: [String], on stream: Int) {
        streams[stream].optional.formUnion(ccids)
        for index in streams[stream].expected.indices.dropFirst(streams[stream].floor)
        where !streams[stream].expected[index].isDone {
            let item = streams[stream].expected[index]
            guard item.kind == .change, !item.ccids.isEmpty,
                item.ccids.allSatisfy({ streams[stream].optional.contains($0) })
            else { continue }
            streams[stream].expected[index].isOptional = true
        }
        skipDone(stream)
    }

    // MARK: What does not come

    /// Stops waiting for what precedes a place.
    mutating func miss(before place: Int32, on stream: Int) {
        if let reindex = streams[stream].reindex {
            streams[stream].reindex = nil
            for each in reindex.objects { miss(each.key, each.version, stream, place) }
            var found = Differences()
            found.add(Difference(.presence, "command", recorded: "i, a page of it", live: nil))
            deviate(stream, nil, "the index that is read again", found)
        }
        while streams[stream].head < streams[stream].expected.count {
            let index = streams[stream].head
            let item = streams[stream].expected[index]
            guard item.place < place else { break }
            miss(item, stream)
            finish(index, of: stream, isSame: false)
            load(stream)
        }
    }

    private mutating func miss(_ item: PlayedStream.Expected, _ stream: Int) {
        let line = line(of: item)
        var found = Differences()
        found.add(Difference(.presence, "command", recorded: line, live: nil))
        deviate(stream, item.place, "missing command: \(line)", found)
        switch item.kind {
        case .change:
            for ccid in item.ccids { flights[ccid] = nil }
            if !item.ccids.contains(where: { authors[$0] != nil }) {
                streams[stream].lacksOthers = true
            }
            guard let key = item.key, let ev = item.ev else { return }
            miss(key, ev, stream, item.place)
        case .catchUp:
            streams[stream].awaitedCatchUps = max(0, streams[stream].awaitedCatchUps - 1)
        case .command: break
        }
    }

    private mutating func miss(_ key: String, _ version: Int64, _ stream: Int, _ place: Int32) {
        guard let bucket = streams[stream].bucket(at: place) else { return }
        buckets[bucket].versions.miss(key, recorded: version)
    }

    /// Whether what is missing before a place is the work of another client that is still to do it.
    func isMadeLater(before place: Int32, on stream: Int) -> Bool {
        let head = streams[stream].head
        guard head < streams[stream].expected.count else { return false }
        let item = streams[stream].expected[head]
        guard item.place < place, item.kind == .change, item.error == nil else { return false }
        return !streams[stream].lacksOthers && !item.left.contains { flights[$0]?.stream == stream }
    }

    /// Whether what is missing before a place is a change that another of these sockets will make.
    func isStillToBeMade(before place: Int32, on stream: Int) -> Bool {
        let head = streams[stream].head
        guard head < streams[stream].expected.count else { return false }
        let item = streams[stream].expected[head]
        guard item.place < place, item.kind == .change else { return false }
        return item.left.contains { ccid in
            guard let author = authors[ccid], author.place < item.place else { return false }
            let other = streams[Int(author.stream)]
            guard Int(author.stream) != stream, other.nextClient < other.client.count,
                other.client[other.nextClient] <= author.place
            else { return false }
            switch sockets[other.socket].phase {
            case .open: return true
            case .waiting: return settings.hasOrder
            case .parting, .closing, .over: return false
            }
        }
    }

    /// A recorded server command or change on one line.
    func line(of item: PlayedStream.Expected) -> String {
        switch item.kind {
        case .change:
            let key = OneLine.text(item.key ?? "an object")
            if let error = item.error { return "c, \(key) is refused with \(error)" }
            let what = item.isRemoval ? "removed" : "changed"
            return "c, \(key) is \(what)" + (item.ev.map { " to version \($0)" } ?? "")
        case .catchUp(let isUnknown): return isUnknown ? "cv, unknown" : "c, the answer to cv"
        case .command(let name):
            let text = text(item.place)
            let colon = text.firstIndex(of: 0x3A) ?? -1
            let start = item.place >= 0 && streamHasChannel(item.place) ? colon + 1 : 0
            let rest = text[start...].prefix(200)
            let shown = String(decoding: rest, as: UTF8.self)
            return OneLine.text(name.isEmpty ? "text that is not a command" : shown)
        }
    }

    private func streamHasChannel(_ place: Int32) -> Bool {
        commands[Int(place)].channel != nil
    }
}
