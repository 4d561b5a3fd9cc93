import Notation
internal import Simperium
internal import Wire

extension SimperiumReplay {
    /// Registers a token that a model issued, and its user.
    ///
    /// Without this its user is taken for the one of the recording, where there is only one.
    public mutating func introduce(token: String, user: String) { introduced[token] = user }

    /// Passes a command to the model; nil where the recording answers.
    mutating func modelled(
        _ text: [UInt8], on socket: Int, at now: Instant
    ) -> [ReplayCommand]? {
        guard takeover != nil else { return nil }
        let digits = text.prefix { $0 &- 0x30 < 10 }.count
        guard let channel = Int(String(decoding: text[..<digits], as: UTF8.self)) else {
            return nil
        }
        let isOpen = takeover?.channels[socket]?[channel] != nil
        guard text[digits...].starts(with: ":init:".utf8) else {
            return isOpen ? feed(text, on: socket, at: now) : nil
        }
        let message = SimperiumMessage(SimperiumCommand.parse(text, from: .client), in: text)
        guard case .initialize(let request) = message?.body else {
            return isOpen ? feed(text, on: socket, at: now) : nil
        }
        if let home = home(of: request), takeover?.homes.contains(home) == true {
            return open(home, request, on: socket, channel, at: now)
        }
        if isOpen { takeover?.leave(channel, of: socket) }
        return nil
    }

    /// Passes a command without counterpart to the model, and the bucket of the recorded channel.
    mutating func giveUp(
        _ text: [UInt8], in stream: Int?, on socket: Int, _ channel: Int?,
        because cause: SimperiumMiss, at now: Instant
    ) -> [ReplayCommand] {
        if takeover == nil { takeover = model() }
        let message = SimperiumMessage(SimperiumCommand.parse(text, from: .client), in: text)
        if let channel, case .initialize(let request) = message?.body {
            let home = home(of: request) ?? newHome(of: request)
            return handOver(home, because: cause, at: now)
                + open(home, request, on: socket, channel, at: now)
        }
        var output: [ReplayCommand] = []
        if let stream, let home = home(of: stream, after: streams[stream].nextClient) {
            output = handOver(home, because: cause, at: now)
        }
        return output + feed(text, on: socket, at: now)
    }

    /// Opens a bucket of the model on a channel.
    mutating func open(
        _ home: BucketHome, _ request: InitRequest, on socket: Int, _ channel: Int,
        at now: Instant
    ) -> [ReplayCommand] {
        modelled += 1
        if let known = lives[socket]?.channels[channel] {
            streams[known].live = nil
            lives[socket]?.channels[channel] = nil
        }
        let replies =
            takeover?.open(home, on: socket, channel, request, at: now) ?? []
        return takeover?.written(replies, at: now) ?? []
    }

    private mutating func feed(
        _ text: [UInt8], on socket: Int, at now: Instant
    ) -> [ReplayCommand] {
        modelled += 1
        let replies = takeover?.receive(text, from: socket) ?? []
        return takeover?.written(replies, at: now) ?? []
    }

    // MARK: Handing over

    private mutating func handOver(
        _ home: BucketHome, because cause: SimperiumMiss, at now: Instant
    ) -> [ReplayCommand] {
        guard takeover?.homes.insert(home).inserted == true else { return [] }
        var implied = implied(of: home)
        let (start, reported) = implied.log.reported
        let changes = reported.map {
            (place: $0, change: live(implied.log.entries[$0].change, home))
        }
        let objects = implied.objects.objects(after: implied.log).map { live($0, home) }
        if let seed = takeover?.seed, let options = takeover?.server.options.bucket {
            takeover?.seed &+= 2
            takeover?.server.put(
                ServerBucket(
                    name: home.bucket, options: options,
                    versions: ChangeVersions(seed: seed), objects: objects,
                    cv: changes.last?.change.cv ?? start, log: changes.map(\.change),
                    logStart: start),
                as: home.id)
        }
        let unheard = makeUnheard(implied, home).map {
            (place: implied.log.entries.count, change: $0)
        }
        takeover?.marks[home] = implied.marks.mapValues {
            bindings.key($0, in: home.bucket) ?? $0
        }
        let one = SimperiumHandOver(
            bucket: home.bucket, user: home.user, cause: cause)
        if handOvers.count < Self.maxMisses { handOvers.append(one) }
        var output: [ReplayCommand] = [.handOver(one)]
        let open = streams.indices.compactMap { stream -> (Int, Int, Int)? in
            guard let channel = streams[stream].live,
                let socket = sockets[streams[stream].socket].live,
                self.home(of: stream, after: streams[stream].nextClient) == home
            else { return nil }
            return (stream, socket, channel)
        }
        // All of them first, so that each receives the unanswered changes of the others.
        var rest: [(ServerReply.Place, [ImpliedBucket.Item])] = []
        for (stream, socket, channel) in open {
            let state = implied.channels[stream] ?? ImpliedBucket.Channel()
            output += join(
                home, stream, socket, channel, state, changes + unheard, implied.log, at: now)
            rest.append((ServerReply.Place(SocketID(socket), channel), state.items))
        }
        relinquish(home)
        for (place, items) in rest {
            for item in items { output += carryOn(item, home, at: place, implied, now) }
        }
        return output
    }

    /// Moves an open channel to a bucket of the model, and sends what it did not receive yet.
    private mutating func join(
        _ home: BucketHome, _ stream: Int, _ socket: Int, _ channel: Int,
        _ state: ImpliedBucket.Channel,
        _ changes: [(place: Int, change: SimperiumChange<JSONValue>)], _ log: ImpliedLog,
        at now: Instant
    ) -> [ReplayCommand] {
        guard
            var request = takeover?.openings[stream].last(where: {
                $0.index < streams[stream].nextClient
            })?.request
        else { return [] }
        request.request = nil
        request.command = nil
        request.clientID = request.clientID.map {
            bindings.client($0, on: sockets[streams[stream].socket].id) ?? $0
        }
        var replies =
            takeover?.open(
                home, on: socket, channel, request, at: max(now, streams[stream].due)) ?? []
        var waits = false
        var isAuthorized = true
        for item in state.items {
            switch item {
            case .auth: isAuthorized = false
            case .changesSince: waits = true
            case .index(let request) where request.mark == nil: waits = true
            default: break
            }
        }
        if isAuthorized {
            replies = []
            let position = state.reported.compactMap { log.position(of: $0) }.max() ?? -1
            let news = changes.filter { $0.place > position }.map(\.change)
            if state.isInformed, !waits, !news.isEmpty {
                replies.append(
                    ServerReply(.one(.init(SocketID(socket), channel)), .changes(news)))
            }
        }
        return takeover?.written(replies, at: now) ?? []
    }

    /// Answers the open requests of a client when its bucket was handed over.
    private mutating func carryOn(
        _ item: ImpliedBucket.Item, _ home: BucketHome, at place: ServerReply.Place,
        _ implied: ImpliedBucket, _ now: Instant
    ) -> [ReplayCommand] {
        let body: SimperiumBody<JSONValue>
        switch item {
        case .auth: return []
        case .index(let request): body = .indexRequest(request)
        case .entity(let key, let version):
            body = .entityRequest(
                key: bindings.key(key, in: home.bucket) ?? key, version: version)
        case .changesSince(let cv): body = .changesSince(cv: cv)
        case .change(let change):
            let isMade = implied.log.entries.contains { entry in
                entry.isPast && entry.change.ccids.contains { change.ccids.contains($0) }
            }
            guard !isMade else { return [] }
            if let refusal = change.ccids.lazy.compactMap({ implied.refusals[$0] }).first {
                let text = ServerText.rewritten(
                    self.text(refusal), channel: place.channel, bucket: home.bucket,
                    socket: commands[Int(refusal)].socket, bindings: &bindings)
                return [
                    .send(
                        .init(
                            socket: place.session.rawValue, text: text,
                            recorded: commands[Int(refusal)].id,
                            recordedAt: commands[Int(refusal)].at, due: now))
                ]
            }
            body = .changes([live(change, home)])
        }
        let text = SimperiumMessage(place.channel, body).encoded(by: .client)
        let replies = takeover?.receive(text, from: place.session.rawValue) ?? []
        return takeover?.written(replies, at: now) ?? []
    }

    /// Stops waiting for what the recording has of a bucket.
    private mutating func relinquish(_ home: BucketHome) {
        var gone: Set<Int> = []
        for stream in streams.indices {
            let next = streams[stream].nextClient
            let all = takeover?.openings[stream] ?? []
            let isOpen = self.home(of: stream, after: next) == home
            guard isOpen || all.contains(where: { $0.index >= next && $0.home == home }) else {
                continue
            }
            gone.insert(stream)
            for place in streams[stream].client[next...] where !isDone[Int(place)] {
                relinquishedPlaces.insert(place)
            }
            streams[stream].nextClient = streams[stream].client.count
            streams[stream].nextServer = streams[stream].server.count
        }
        for ccid in waiting.keys {
            waiting[ccid]?.removeAll { gone.contains($0) }
            if waiting[ccid]?.isEmpty == true { waiting[ccid] = nil }
        }
    }

    // MARK: What the recording implies

    private func implied(of home: BucketHome) -> ImpliedBucket {
        var places: [(place: Int32, stream: Int, isPast: Bool)] = []
        for stream in streams.indices {
            let all = takeover?.openings[stream] ?? []
            guard all.contains(where: { $0.home == home }) else { continue }
            for (index, place) in streams[stream].client.enumerated()
            where all.last(where: { $0.index <= index })?.home == home {
                places.append((place, stream, isDone[Int(place)]))
            }
            for (index, place) in streams[stream].server.enumerated() {
                let gate = Int(streams[stream].gates[index])
                guard all.last(where: { $0.index < gate })?.home == home else { continue }
                places.append((place, stream, index < streams[stream].nextServer))
            }
        }
        places.sort { $0.place < $1.place }
        var implied = ImpliedBucket()
        for (place, stream, isPast) in places {
            guard let body = message(place)?.body else { continue }
            if commands[Int(place)].sender == .client {
                implied.client(body, on: stream, at: place, isPast: isPast)
            } else {
                implied.server(body, on: stream, at: place, isPast: isPast) { isAwaited($0) }
            }
        }
        implied.log.make { change in
            change.ccids.contains { authors[$0].map { isDone[Int($0)] } ?? false }
        }
        implied.log.settle()
        return implied
    }

    /// Whether a client that is there, or will be, makes a change of the recording yet.
    private func isAwaited(_ change: SimperiumChange<JSONValue>) -> Bool {
        change.ccids.contains { ccid in
            guard let author = authors[ccid], !isDone[Int(author)] else { return false }
            let socket = sockets[streams[Int(streamOf[Int(author)])].socket]
            return socket.live != nil || waitsForAbsent && socket.mayCome
        }
    }

    /// A change of the recording with the identifiers of the live clients.
    func live(
        _ change: SimperiumChange<JSONValue>, _ home: BucketHome
    ) -> SimperiumChange<JSONValue> {
        var result = change
        let socket = change.ccids.lazy.compactMap { authors[$0] }.first
            .map { commands[Int($0)].socket }
        result.key = change.key.map { bindings.key($0, in: home.bucket) ?? $0 }
        result.clientID = change.clientID.map { name in
            (socket.map { bindings.client(name, on: $0) } ?? bindings.clients[name]) ?? name
        }
        result.ccids = change.ccids.map { bindings.changes[$0] ?? $0 }
        result.value = change.value.map { bindings.translated($0, []) }
        result.data = change.data.map { bindings.translated($0, []) }
        return result
    }

    /// An object of the recording with the identifiers of the live clients.
    private func live(_ object: ServerObject, _ home: BucketHome) -> ServerObject {
        ServerObject(
            key: bindings.key(object.key, in: home.bucket) ?? object.key, number: object.number,
            isRemoved: object.isRemoved,
            versions: object.versions.map {
                .init(
                    number: $0.number, data: bindings.translated($0.data, []),
                    change: $0.change.map { bindings.translated($0, []) })
            })
    }
}
