import Notation
internal import Wire

extension ServerModel {
    /// Processes a message of a client.
    ///
    /// - Parameters:
    ///   - message: Its contents; hostile.
    ///   - session: An open connection.
    ///   - admit: Decides about an `init` whose fields are well formed; its `app` is that of the
    ///     socket.
    /// - Returns: The server's messages, to this client and to others, in order; nothing where the
    ///   connection is not open.
    public mutating func receive(
        _ message: SimperiumMessage, from session: SocketID,
        admit: (InitRequest) -> Admission = { Admission.ofAnyToken($0) }
    ) -> [ServerReply] {
        guard sessions[session] != nil else { return [] }
        guard let number = message.channel else {
            let place = ServerReply.Place(session, nil)
            switch message.body {
            case .heartbeat(let count) where count < .max:
                return [ServerReply(.one(place), .heartbeat(count + 1))]
            // An answer to `?` might be answered again.
            case .log, .notUnderstood: return []
            default: return [ServerReply(.one(place), .notUnderstood)]
            }
        }
        let place = ServerReply.Place(session, number)
        if case .initialize(let request) = message.body {
            return initialize(request, at: place, channel: number, admit: admit)
        }
        guard let channel = sessions[session]?.channels[number] else {
            return [notUnderstood(place)]
        }
        return answer(message.body, at: place, channel)
    }

    /// Processes a message of a client in its wire form.
    ///
    /// What cannot be read is answered with `?`, on its channel if it has one.
    public mutating func receive(
        text: [UInt8], from session: SocketID,
        admit: (InitRequest) -> Admission = { Admission.ofAnyToken($0) }
    ) -> [ServerReply] {
        let command = SimperiumCommand.parse(text, from: .client)
        if let message = SimperiumMessage(command, in: text) {
            return receive(message, from: session, admit: admit)
        }
        guard sessions[session] != nil else { return [] }
        return [notUnderstood(ServerReply.Place(session, command.channel))]
    }

    /// Answers anything but `init` on a channel whose client was authorised.
    mutating func answer(
        _ body: SimperiumBody<JSONValue>, at place: ServerReply.Place, _ channel: Channel
    ) -> [ServerReply] {
        let asker = ServerReply.Receivers.one(place)
        let id = channel.bucket
        switch body {
        case .indexRequest(let request):
            guard var page = buckets[id]?.page(request) else {
                return [ServerReply(asker, .unknownMark)]
            }
            for entry in page.entries.indices {
                page.entries[entry].key = page.entries[entry].key.map(namespace.outer)
            }
            return [ServerReply(asker, .indexPage(page))]
        case .entityRequest(let key, let version):
            let data = namespace.inner(key).flatMap { buckets[id]?.data(of: $0, at: version) }
            return [
                ServerReply(asker, .entity(EntityReply(key: key, version: version, data: data)))
            ]
        case .changesSince(let cv):
            guard let changes = buckets[id]?.changes(since: cv) else {
                return [ServerReply(asker, .unknownChangeVersion(isLegacy: channel.isLegacy))]
            }
            return [ServerReply(asker, .changes(changes.map(namespace.outer)))]
        case .changes(let changes) where 1...max(options.changes, 1) ~= changes.count:
            return changes.map { change($0, at: place, channel) }
        case .indexState, .log, .notUnderstood: return []
        default: return [notUnderstood(place)]
        }
    }

    /// Makes one change of a `c`.
    private mutating func change(
        _ change: SimperiumChange<JSONValue>, at place: ServerReply.Place, _ channel: Channel
    ) -> ServerReply {
        var inner = change
        if change.operation != .empty {
            // A key outside of the namespace is none.
            inner.key = change.key.flatMap(namespace.inner)
        }
        switch buckets[channel.bucket]?.receive(inner, from: channel.author) {
        case .accepted(let reported): return broadcast(reported, channel.bucket)
        case .refused(var refusal, _):
            refusal.key = change.key ?? ""
            return ServerReply(.one(place), .changes([refusal]))
        case nil: return notUnderstood(place)
        }
    }

    /// `?`, on the channel unless it is to be bare.
    func notUnderstood(_ place: ServerReply.Place) -> ServerReply {
        let channel = options.answersWithoutChannel ? nil : place.channel
        return ServerReply(.one(.init(place.session, channel)), .notUnderstood)
    }

    var namespace: KeyNamespace { KeyNamespace(options.channelOptions) }
}
