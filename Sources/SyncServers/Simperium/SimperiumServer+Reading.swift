internal import Simperium
internal import Wire

extension SimperiumServer {
    /// Answers `init`, and the command it brings along.
    mutating func initialize(
        _ request: InitRequest, _ place: Subscriber, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> [Reply] {
        leave(place)
        guard let token = request.token, Self.isToken(token) else {
            return [refuse(place, 400, "Token malformed")]
        }
        let app = connections[place.connection]?.app ?? request.app
        guard let app, request.app == nil || request.app == app else {
            return [refuse(place, 500, "app_id is not that of the socket")]
        }
        // A token that was given out is good for its own application alone.
        let account = tokens[token]
        guard account == nil || account?.app == app else {
            return [refuse(place, 401, "Token invalid")]
        }
        guard let name = request.bucket, Self.isIdentifier(name, 64, "._-%") else {
            return [refuse(place, 500, "Bucket name is not valid")]
        }
        let bucket = BucketName(app: app, user: account?.user ?? token, name: name)
        guard (connections[place.connection]?.channels.count ?? 0) < Limit.channels,
            buckets[bucket] != nil || buckets.count < Limit.buckets
        else { return [refuse(place, 500, "Bucket limit reached")] }
        if buckets[bucket] == nil {
            buckets[bucket] = Bucket(now: now, seed: UInt32.random(in: 0 ... .max, using: &random))
        }
        let channel = Channel(bucket: bucket, clientID: request.clientID ?? "")
        connections[place.connection]?.channels[place.channel] = channel
        subscribers[bucket, default: []].append(place)
        let user = account?.user ?? "\(token.prefix(8))@simperium.invalid"
        var replies = [reply(place, "auth:\(user)")]
        switch request.request {
        case .index(let request): replies.append(index(request, place, channel))
        case .changesSince(let cv): replies.append(changes(since: cv, place, channel))
        case .other: replies.append(reply(place, "?"))
        case nil: break
        }
        return replies
    }

    /// Answers `i` with a page of the index.
    func index(_ request: IndexRequest, _ place: Subscriber, _ channel: Channel) -> Reply {
        guard let bucket = buckets[channel.bucket] else { return reply(place, "?") }
        var start = 0
        if let mark = request.mark {
            guard let place = bucket.place(after: mark) else { return reply(place, "i:?") }
            start = place
        }
        let limit = min(max(request.limit ?? Limit.usualPage, 1), Limit.page)
        let keys = bucket.order[start...].prefix(limit)
        var entries: [JSONValue] = []
        var size = 0
        var last: String?
        for key in keys {
            guard let object = bucket.objects[key], let data = object.versions.last?.data else {
                continue
            }
            var members = [
                JSONObject.Member("id", .string(key)),
                JSONObject.Member("v", .number(String(object.version))),
            ]
            if request.wantsData {
                // A page of large objects ends early, so that a message stays within bounds.
                size += object.weight
                if size > Bucket.Limit.page, !entries.isEmpty { break }
                members.append(JSONObject.Member("d", .object(data)))
            }
            entries.append(.object(JSONObject(members)))
            last = key
        }
        var page = [
            JSONObject.Member("current", .string(bucket.cv)),
            JSONObject.Member("index", .array(entries)),
        ]
        if let last, last != bucket.order.last {
            page.append(JSONObject.Member("mark", .string(Bucket.mark(last))))
        }
        return reply(place, "i:\(JSONValue.object(JSONObject(page)).text())")
    }

    /// Answers `e` with an entity.
    func entity(
        _ key: String, _ version: Int64, _ place: Subscriber, _ channel: Channel
    ) -> Reply {
        let head = "e:\(key).\(version)\n"
        guard let object = buckets[channel.bucket]?.objects[key], let data = object.data(version)
        else { return reply(place, head + "?") }
        let body = JSONValue.object(JSONObject([JSONObject.Member("data", .object(data))]))
        return reply(place, head + body.text())
    }

    /// Answers `cv` with the changes since then.
    func changes(since cv: String, _ place: Subscriber, _ channel: Channel) -> Reply {
        guard let changes = buckets[channel.bucket]?.changes(since: cv) else {
            return reply(place, "cv:?")
        }
        return reply(place, "c:[\(changes.joined(separator: ","))]")
    }

    /// A message on a channel.
    func reply(_ place: Subscriber, _ text: String) -> Reply {
        Reply(place.connection, "\(place.channel):\(text)")
    }

    /// An `auth` that lets nobody in.
    private func refuse(_ place: Subscriber, _ code: Int, _ message: String) -> Reply {
        let body = JSONObject([
            JSONObject.Member("msg", .string(message)),
            JSONObject.Member("code", .number(String(code))),
        ])
        return reply(place, "auth:\(JSONValue.object(body).text())")
    }

    /// The channel has no bucket any more.
    private mutating func leave(_ place: Subscriber) {
        guard
            let channel = connections[place.connection]?.channels
                .removeValue(forKey: place.channel)
        else { return }
        subscribers[channel.bucket]?.removeAll { $0 == place }
    }

    /// 32 or more letters and digits.
    static func isToken(_ text: String) -> Bool {
        32...1024 ~= text.utf8.count && isIdentifier(text, 1024, "")
    }

    /// 1 to `limit` letters, digits, and bytes of `others`.
    static func isIdentifier(_ text: String, _ limit: Int, _ others: StaticString) -> Bool {
        guard 1...limit ~= text.utf8.count else { return false }
        return others.withUTF8Buffer { others in
            text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.contains(byte)
                }
            }
        }
    }
}
