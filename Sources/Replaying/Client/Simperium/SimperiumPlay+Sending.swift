internal import Simperium
internal import Wire

extension SimperiumPlay {
    /// Sends what is no longer blocked on a channel.
    mutating func advance(_ stream: Int) {
        let socket = streams[stream].socket
        while sockets[socket].phase == .open, !streams[stream].isDead {
            let next = streams[stream].nextClient
            let end = commands.endIndex
            let place =
                next < streams[stream].client.count
                ? streams[stream].client[next] : Int32(truncatingIfNeeded: end)
            guard hasCome(before: place, on: stream) else { return block(stream) }
            streams[stream].blockedSince = nil
            guard next < streams[stream].client.count else { return }
            // What the recorded server never got has no turn.
            let isLost = !settings.isVerbatim && lost.contains(place)
            guard isLost || isMyTurn(place, stream) else { return }
            if streams[stream].due == nil { streams[stream].due = due(place, socket) }
            if let due = streams[stream].due, due > now {
                return schedule(Due(at: due, what: .advance(stream: stream)))
            }
            streams[stream].nextClient += 1
            streams[stream].hasAsked = false
            streams[stream].hasTurn = false
            streams[stream].due = nil
            send(place, on: stream)
        }
    }

    private mutating func block(_ stream: Int) {
        guard streams[stream].blockedSince == nil else {
            // What comes shows that more may come.
            if streams[stream].blockedProgress != progress {
                streams[stream].blockedSince = now
                streams[stream].blockedProgress = progress
            }
            return
        }
        streams[stream].blockedSince = now
        streams[stream].blockedProgress = progress
    }

    private mutating func isMyTurn(_ place: Int32, _ stream: Int) -> Bool {
        guard settings.hasOrder, !streams[stream].hasTurn else { return true }
        if !streams[stream].hasAsked {
            streams[stream].hasAsked = true
            let id = commands[Int(place)].id
            turns[id] = stream
            output.append(.askTurn(id))
        }
        return false
    }

    /// When a command is sent at the pace of the play.
    private func due(_ place: Int32, _ socket: Int) -> Instant {
        guard let before = sockets[socket].recordedAt else { return now }
        return settings.pace.due(
            commands[Int(place)].at.nanoseconds - before.nanoseconds, after: now)
    }

    private mutating func send(_ place: Int32, on stream: Int) {
        let socket = streams[stream].socket
        let recorded = commands[Int(place)]
        sockets[socket].recordedAt = max(sockets[socket].recordedAt ?? recorded.at, recorded.at)
        streams[stream].lastPlace = max(streams[stream].lastPlace, place)
        progress += 1
        let text = text(place)
        guard isWanted(place, recorded, text, stream) else {
            sockets[socket].played.skipped += 1
            return
        }
        switch recorded.name {
        case "c":
            for ccid in recorded.ccids {
                flights[ccid] = Flight(place: place, stream: stream)
                if settings.isVerbatim { recordedChanges[ccid] = ccid }
            }
        case "i": streams[stream].pages.append(false)
        case "init":
            let command = SimperiumCommand.parse(text, from: .client)
            guard case .initialize(let request) = command.body else { break }
            if case .index? = request.request { streams[stream].pages.append(false) }
        default: break
        }
        if streams[stream].catchUps.contains(sorted: place) {
            streams[stream].awaitedCatchUps += 1
        }
        sockets[socket].played.sent += 1
        output.append(.send(sockets[socket].id, rewritten(text, place, stream)))
    }

    /// Whether a recorded command has a meaning in the live session.
    private mutating func isWanted(
        _ place: Int32, _ recorded: RecordedCommand, _ text: [UInt8], _ stream: Int
    ) -> Bool {
        guard !settings.isVerbatim else { return true }
        if lost.contains(place) { return false }
        if recorded.name == "i", !streams[stream].endedMarks.isEmpty {
            let command = SimperiumCommand.parse(text, from: .client)
            if case .indexRequest(let request) = command.body, let mark = request.mark,
                streams[stream].endedMarks.contains(mark)
            {
                // The live index has no such page.
                drop(commandNamed: "i", after: place, on: stream)
                return false
            }
        }
        if recorded.name == "c", !streams[stream].skips.isEmpty {
            let command = SimperiumCommand.parse(text, from: .client)
            if let key = command.key, let ccids = streams[stream].skips.removeValue(forKey: key),
                case .changes(let changes) = command.body,
                changes.contains(where: {
                    $0.data != nil || !ccids.isDisjoint(with: $0.ccids)
                })
            {
                // The live server accepted at once what the recorded client had to send again.
                makeOptional(recorded.ccids, on: stream)
                return false
            }
        }
        return true
    }

    /// The next recorded answer of this name is not waited for.
    private mutating func drop(commandNamed name: String, after place: Int32, on stream: Int) {
        for (index, item) in streams[stream].expected.enumerated().dropFirst(streams[stream].floor)
        where !item.isDone && item.place > place && item.kind == .command(name) {
            return finish(index, of: stream, isSame: false)
        }
    }

    // MARK: Words

    private mutating func rewritten(_ text: [UInt8], _ place: Int32, _ stream: Int) -> [UInt8] {
        guard !settings.isVerbatim else { return text }
        let bucket = streams[stream].bucket(at: place)
        var made: [(recorded: String, live: String)] = []
        var changes: [(recorded: String, live: String)] = []
        let (names, streams, settings) = (names, streams, settings)
        let known = bucket.map { buckets[$0] }
        let words = PlayedText.Words(
            live: { kind, recorded in
                switch kind {
                case .ccid, .clientID:
                    let live = names.fresh(kind, recorded)
                    if kind == .ccid { changes.append((recorded, live)) }
                    return live
                default: return names.live(kind, recorded) ?? recorded
                }
            },
            key: { recorded, isNew in
                if let live = known?.keys[recorded] { return live }
                guard settings.isOneOfSeveral, isNew, let known, !known.seen.contains(recorded)
                else { return nil }
                let live = names.make(recorded)
                made.append((recorded, live))
                return live
            },
            version: { key, version in known?.versions.live(key, version) ?? version },
            changeVersion: { known?.changeVersions[$0] ?? $0 },
            mark: { streams[stream].marks[$0] ?? $0 }, keys: known?.keys ?? [:])
        let output = PlayedText.rewritten(text, words)
        for change in changes { recordedChanges[change.live] = change.recorded }
        if let bucket {
            for key in made {
                buckets[bucket].keys[key.recorded] = key.live
                buckets[bucket].recordedKeys[key.live] = key.recorded
                names.bind(
                    .objectKey, "\(buckets[bucket].name)/\(key.recorded)",
                    "\(buckets[bucket].name)/\(key.live)")
            }
        }
        return output
    }
}

extension [Int32] {
    /// Whether a sorted array has an element.
    fileprivate func contains(sorted element: Int32) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == element
    }
}
