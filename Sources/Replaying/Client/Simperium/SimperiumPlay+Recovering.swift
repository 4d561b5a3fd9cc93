internal import Notation
internal import Simperium
internal import Wire

extension SimperiumPlay {
    /// The maximum number of times that a change is sent again with all of its data.
    private static let maxWhole = 2
    /// The maximum number of times that a change is sent again unchanged.
    private static let maxAgain = 4
    /// The maximum number of objects whose history is read.
    private static let maxReadings = 64

    /// Does what the built-in client does when its change is refused.
    ///
    /// - Returns: Whether another answer to the change will come.
    mutating func recover(
        _ ccid: String, _ code: Int, _ item: PlayedStream.Expected, _ stream: Int
    ) -> Bool {
        guard !settings.isVerbatim, var flight = flights[ccid] else { return false }
        flight.attempts += 1
        flights[ccid] = flight
        let socket = streams[stream].socket
        switch code {
        case 404, 405, 417, 440:
            guard flight.attempts <= Self.maxWhole,
                let text = whole(flight.place, ccid, code, flight.attempts, stream)
            else { return false }
            sockets[socket].played.recoveries += 1
            output.append(.send(sockets[socket].id, text))
            return true
        case 500...599:
            guard flight.attempts <= Self.maxAgain, let live = names.live(.ccid, ccid) else {
                return false
            }
            let text = changed(flight.place, stream, ccid: live)
            let pause = Int64(100_000_000) << Int64(flight.attempts)
            schedule(
                Due(
                    at: Instant(nanoseconds: now.nanoseconds + pause),
                    what: .again(stream: stream, text: text, ccid: ccid)))
            return true
        default: return false
        }
    }

    mutating func sendAgain(_ text: [UInt8], _ ccid: String, on stream: Int) {
        let socket = streams[stream].socket
        guard sockets[socket].phase == .open, flights[ccid]?.stream == stream else { return }
        sockets[socket].played.recoveries += 1
        progress += 1
        output.append(.send(sockets[socket].id, text))
    }

    /// A refused change with the whole object; nil where that is unknown.
    private mutating func whole(
        _ place: Int32, _ ccid: String, _ code: Int, _ attempts: Int, _ stream: Int
    ) -> [UInt8]? {
        let command = SimperiumCommand.parse(text(place), from: .client)
        guard let message = SimperiumMessage(command, in: text(place)),
            case .changes(let changes) = message.body, changes.count == 1,
            let change = changes.first, change.operation == .modify, let key = change.key,
            let bucket = streams[stream].bucket(at: place)
        else { return nil }
        // It was the whole already.
        if code == 440, change.data != nil || attempts > 1 { return nil }
        guard let target = change.data ?? target(of: change, key, place, stream, bucket) else {
            return nil
        }
        let fresh = names.make(ccid)
        recordedChanges[fresh] = ccid
        var version: Int64?
        if code != 404 {
            let recorded = change.sv.map { buckets[bucket].versions.live(key, $0) }
            version = buckets[bucket].versions.newest(key) ?? recorded
            if code == 405, attempts > 1 { version = nil }
        }
        var sent = SimperiumChange<JSONValue>(
            key: buckets[bucket].keys[key] ?? key, operation: .modify, sv: version, ccids: [fresh])
        sent.data = target
        sent.value =
            version == nil ? try? JSONDiff.diff(.object(JSONObject()), target) : change.value
        return SimperiumMessage(message.channel, .changes([sent])).encoded(by: .client)
    }

    /// A change as it was sent, under another identifier.
    private func changed(_ place: Int32, _ stream: Int, ccid: String) -> [UInt8] {
        let text = text(place)
        let command = SimperiumCommand.parse(text, from: .client)
        guard var message = SimperiumMessage(command, in: text),
            case .changes(var changes) = message.body,
            let bucket = streams[stream].bucket(at: place)
        else { return text }
        for index in changes.indices {
            if let key = changes[index].key {
                changes[index].sv = changes[index].sv.map { buckets[bucket].versions.live(key, $0) }
                changes[index].key = buckets[bucket].keys[key] ?? key
            }
            changes[index].ccids = [ccid]
        }
        message.body = .changes(changes)
        return message.encoded(by: .client)
    }

    /// The intended state of an object, from what the recorded server sent of it.
    private mutating func target(
        of change: SimperiumChange<JSONValue>, _ key: String, _ place: Int32, _ stream: Int,
        _ bucket: Int
    ) -> JSONValue? {
        guard change.value != nil else { return nil }
        guard change.sv != nil else { return change.object { _ in nil } }
        guard readings < Self.maxReadings else { return nil }
        readings += 1
        var versions: [Int64: JSONValue] = [:]
        var pending: [SimperiumChange<JSONValue>] = []
        let places = streams.flatMap { each in
            each.server.filter { $0 < place && each.bucket(at: $0) == bucket }
        }
        let name = Array(key.utf8)
        for other in places.sorted() where ["c", "i", "e"].contains(commands[Int(other)].name) {
            let text = text(other)
            guard text.contains(name) else { continue }
            let command = SimperiumCommand.parse(text, from: .server)
            switch SimperiumMessage(command, in: text)?.body {
            case .indexPage(let page):
                for entry in page.entries where entry.key == key {
                    if let version = entry.version, let data = entry.data {
                        versions[version] = data
                    }
                }
            case .entity(let reply) where reply.key == key:
                if let data = reply.data { versions[reply.version] = data }
            case .changes(let changes):
                pending += changes.filter { $0.key == key && $0.error == nil && $0.value != nil }
            default: break
            }
        }
        for change in pending.sorted(by: { $0.ev ?? 0 < $1.ev ?? 0 }) {
            guard let ev = change.ev, versions[ev] == nil else { continue }
            versions[ev] = change.object { versions[$0] }
        }
        return change.object { versions[$0] }
    }

    // MARK: Reading the index again

    /// The live server does not know a change version.
    mutating func loseChangeVersion(_ text: [UInt8], _ stream: Int) {
        streams[stream].awaitedCatchUps = max(0, streams[stream].awaitedCatchUps - 1)
        let index = streams[stream].expected.indices.dropFirst(streams[stream].floor).first {
            if case .catchUp = streams[stream].expected[$0].kind {
                return !streams[stream].expected[$0].isDone
            }
            return false
        }
        let item = index.map { streams[stream].expected[$0] }
        if let index, item?.kind == .catchUp(isUnknown: true) {
            return finish(index, of: stream, isSame: true)
        }
        var found = Differences()
        let shown = OneLine.text(String(decoding: text.prefix(64), as: UTF8.self))
        found.add(
            Difference(
                .presence, "command", recorded: index == nil ? nil : "c, changes", live: shown))
        deviate(stream, item?.place, "the answer to cv", found)
        var again = PlayedStream.Reindex()
        if let item {
            // The index contains what the changes would have contained.
            for index in streams[stream].expected.indices
            where streams[stream].expected[index].place == item.place {
                let each = streams[stream].expected[index]
                if let key = each.key, let ev = each.ev, !each.isDone {
                    again.objects.append((key, ev))
                    streams[stream].received.formUnion(each.ccids)
                }
                finish(index, of: stream, isSame: false)
            }
        }
        guard !settings.isVerbatim, streams[stream].reindex == nil else { return }
        streams[stream].reindex = again
        askForPage("", stream)
    }

    /// Requests a page of the index that the recorded client did not request.
    mutating func askForPage(_ mark: String, _ stream: Int) {
        guard let channel = streams[stream].channel else { return }
        streams[stream].pages.append(true)
        let request = IndexRequest(wantsData: false, second: mark, limit: 100)
        output.append(
            .send(
                sockets[streams[stream].socket].id,
                SimperiumMessage(channel, .indexRequest(request)).encoded(by: .client)))
    }

    /// Processes a page that this play requested itself.
    ///
    /// - Returns: False for a page that the recorded client requested.
    mutating func takeOwnPage(_ command: SimperiumCommand, _ stream: Int) -> Bool {
        let isOwn = streams[stream].pages.first ?? false
        if !streams[stream].pages.isEmpty { streams[stream].pages.removeFirst() }
        guard isOwn, case .indexPage(let page) = command.body else { return false }
        progress += 1
        if let bucket = streams[stream].bucket(at: streams[stream].lastPlace) {
            for entry in page.entries {
                guard let key = entry.key, let version = entry.version else { continue }
                let recorded = buckets[bucket].recordedKeys[key] ?? key
                buckets[bucket].versions.reload(recorded, live: version)
            }
        }
        let most = 1_000
        if let mark = page.mark, !mark.isEmpty {
            guard streams[stream].reindex != nil else {
                // The rest of an index of which the recorded client had all.
                streams[stream].extraPages += 1
                if streams[stream].extraPages < most { askForPage(mark, stream) }
                return true
            }
            streams[stream].reindex?.pages += 1
            if streams[stream].reindex?.pages ?? most < most,
                streams[stream].reindex?.marks.insert(mark).inserted == true
            {
                askForPage(mark, stream)
                return true
            }
        }
        if let reindex = streams[stream].reindex {
            streams[stream].reindex = nil
            if let bucket = streams[stream].bucket(at: streams[stream].lastPlace) {
                for each in reindex.objects {
                    guard let live = buckets[bucket].versions.newest(each.key) else { continue }
                    buckets[bucket].versions.bind(each.key, recorded: each.version, live: live)
                }
            }
        }
        return true
    }
}

extension [UInt8] {
    /// Whether these bytes occur anywhere within.
    fileprivate func contains(_ needle: [UInt8]) -> Bool {
        guard let first = needle.first, count >= needle.count else { return needle.isEmpty }
        for start in 0...(count - needle.count)
        where self[start] == first && self[start..<(start + needle.count)] == needle[...] {
            return true
        }
        return false
    }
}
