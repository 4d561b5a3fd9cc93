import Notation
internal import Simperium
internal import Wire

/// What the commands of a recording imply of one bucket, and of the channels on it, at a time of
/// its replay.
///
/// They are processed in the order of the recording; each is past, or still to come in the replay.
struct ImpliedBucket {
    /// A request of a client without an answer.
    enum Item {
        case auth(InitRequest)
        case index(IndexRequest)
        case entity(key: String, version: Int64)
        case changesSince(String)
        case change(SimperiumChange<JSONValue>)
    }

    /// What is past of a channel.
    struct Channel {
        /// Unanswered requests, in order.
        var items: [Item] = []
        /// Change versions that the client received.
        var reported: [String] = []
        /// Whether it received the bucket's change version, so that it waits for further changes.
        var isInformed = false
        /// Change versions from which changes were requested in the recording.
        var asked: [String] = []
    }

    var log = ImpliedLog()
    var objects = ImpliedObjects()
    /// By place of the recorded channel.
    var channels: [Int: Channel] = [:]
    /// Places of commands still to come that refuse a change, by its `ccid`.
    var refusals: [String: Int32] = [:]
    /// The last key of pages that was sent, by their mark.
    var marks: [String: String] = [:]

    /// Processes the next command of a client.
    mutating func client(
        _ body: SimperiumBody<JSONValue>, on stream: Int, at place: Int32, isPast: Bool
    ) {
        var channel = channels.removeValue(forKey: stream) ?? Channel()
        defer { channels[stream] = channel }
        var items: [Item] = []
        switch body {
        case .initialize(let request):
            items.append(.auth(request))
            switch request.request {
            case .index(let request): items.append(.index(request))
            case .changesSince(let cv): items.append(.changesSince(cv))
            case .other, nil: break
            }
            // Earlier requests are of no importance to the client any more.
            if isPast { channel = Channel() }
        case .indexRequest(let request): items.append(.index(request))
        case .entityRequest(let key, let version):
            items.append(.entity(key: key, version: version))
        case .changesSince(let cv): items.append(.changesSince(cv))
        case .changes(let changes): items += changes.map { .change($0) }
        default: break
        }
        for item in items {
            switch item {
            case .index(let request) where request.mark == nil:
                objects.beginWalk(stream, at: place)
            case .changesSince(let cv): channel.asked.append(cv)
            default: break
            }
        }
        if isPast { channel.items += items }
    }

    /// Processes the next command of the server.
    mutating func server(
        _ body: SimperiumBody<JSONValue>, on stream: Int, at place: Int32, isPast: Bool,
        isAwaited: (SimperiumChange<JSONValue>) -> Bool
    ) {
        var channel = channels.removeValue(forKey: stream) ?? Channel()
        defer { channels[stream] = channel }
        switch body {
        case .auth(.expired): break
        case .auth: channel.answer(isPast) { if case .auth = $0 { true } else { false } }
        case .indexPage(let page):
            channel.answer(isPast) { if case .index = $0 { true } else { false } }
            objects.see(page, on: stream, at: place, isPast: isPast)
            if let current = page.current, !current.isEmpty {
                log.see(current: current, isPast: isPast)
                if isPast { channel.reported.append(current) }
            }
            guard isPast else { return }
            channel.isInformed = true
            if let mark = page.mark, let key = page.entries.last?.key { marks[mark] = key }
        case .unknownMark:
            channel.answer(isPast) { if case .index = $0 { true } else { false } }
        case .entity(let reply):
            channel.answer(isPast) {
                if case .entity(reply.key, reply.version) = $0 { true } else { false }
            }
            guard let data = reply.data else { break }
            objects.see(reply.key, reply.version, data, at: place, isPast: isPast)
        case .unknownChangeVersion:
            if !channel.asked.isEmpty { channel.asked.removeFirst() }
            channel.answer(isPast) { if case .changesSince = $0 { true } else { false } }
        case .changes(let changes):
            take(changes, &channel, at: place, isPast: isPast, isAwaited: isAwaited)
        default: break
        }
    }

    private mutating func take(
        _ changes: [SimperiumChange<JSONValue>], _ channel: inout Channel, at place: Int32,
        isPast: Bool, isAwaited: (SimperiumChange<JSONValue>) -> Bool
    ) {
        // While changes are requested, the next ones are the answer.
        var since: String?
        if changes.allSatisfy({ $0.error == nil }), !channel.asked.isEmpty {
            since = channel.asked.removeFirst()
            channel.answer(isPast) { if case .changesSince = $0 { true } else { false } }
        }
        for change in changes where change.error != nil && !isPast {
            for ccid in change.ccids { refusals[ccid] = place }
        }
        let made = changes.filter { $0.error == nil && $0.cv != nil }
        log.tell(made, since: since, at: place, isPast: isPast, isAwaited: isAwaited)
        guard isPast else { return }
        if let since {
            channel.isInformed = true
            channel.reported.append(since)
        }
        channel.reported += made.compactMap(\.cv)
        let ccids = Set(changes.flatMap(\.ccids))
        channel.items.removeAll { item in
            guard case .change(let change) = item else { return false }
            return change.ccids.contains { ccids.contains($0) }
        }
    }
}

extension ImpliedBucket.Channel {
    /// Removes the first request that this answers.
    fileprivate mutating func answer(
        _ isPast: Bool, _ fits: (ImpliedBucket.Item) -> Bool
    ) {
        guard isPast, let place = items.firstIndex(where: fits) else { return }
        items.remove(at: place)
    }
}
