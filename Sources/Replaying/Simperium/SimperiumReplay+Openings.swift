internal import Simperium
internal import Wire

extension SimperiumReplay {
    /// What the recorded channels open, and whose tokens are whose.
    ///
    /// Read when a model is needed first.
    func model() -> BucketModel {
        var model = BucketModel(seed: seed)
        model.openings = streams.indices.map { openings(of: $0) }
        for opening in model.openings.joined() {
            guard let token = opening.request.token, let home = opening.home else { continue }
            model.users[token] = home.user
        }
        return model
    }

    private func openings(of stream: Int) -> [RecordedOpening] {
        var found: [RecordedOpening] = []
        let client = streams[stream].client
        for (index, place) in client.enumerated() where commands[Int(place)].name == "init" {
            guard case .initialize(let request) = message(place)?.body else { continue }
            found.append(RecordedOpening(index: index, place: place, request: request))
        }
        for place in found.indices {
            let end = place + 1 < found.count ? found[place + 1].index : client.count
            let request = found[place].request
            guard let bucket = request.bucket,
                let user = user(of: stream, after: found[place].index, upTo: end)
            else { continue }
            found[place].home = BucketHome(
                app: request.app?.lowercased() ?? "", user: user, bucket: bucket)
        }
        return found
    }

    /// The server's answer to an `init`.
    private func user(of stream: Int, after index: Int, upTo end: Int) -> String? {
        for (place, gate) in zip(streams[stream].server, streams[stream].gates)
        where Int(gate) > index && Int(gate) <= end && commands[Int(place)].name == "auth" {
            if case .auth(.accepted(let user)) = message(place)?.body { return user }
        }
        return nil
    }

    /// The contents of a recorded command.
    func message(_ place: Int32) -> SimperiumMessage? {
        let text = text(place)
        return SimperiumMessage(
            SimperiumCommand.parse(text, from: commands[Int(place)].sender), in: text)
    }

    /// The bucket that a channel of the recording has open after so many commands of its client.
    func home(of stream: Int, after count: Int) -> BucketHome? {
        takeover?.openings[stream].last { $0.index < count }?.home
    }

    /// The bucket of an `init` of a live client; nil where it may be one of several.
    func home(of request: InitRequest) -> BucketHome? {
        guard let bucket = request.bucket, let takeover else { return nil }
        let known = takeover.openings.joined().compactMap(\.home)
        let app = request.app?.lowercased() ?? known.first { $0.bucket == bucket }?.app ?? ""
        let token = request.token ?? ""
        let recorded = bindings.tokens.first { $0.value == token }?.key ?? token
        if let user = introduced[token] ?? takeover.users[recorded] {
            return BucketHome(app: app, user: user, bucket: bucket)
        }
        let same = Set(known.filter { $0.bucket == bucket && $0.app == app })
        if let only = same.first, same.count == 1 { return only }
        let users = Set(known.lazy.filter { $0.app == app }.map(\.user))
        guard let user = users.first, users.count == 1, same.isEmpty else { return nil }
        return BucketHome(app: app, user: user, bucket: bucket)
    }

    /// The bucket of a user who is not in the recording.
    func newHome(of request: InitRequest) -> BucketHome {
        let user = request.username ?? "\((request.token ?? "").prefix(8))@simperium.invalid"
        return BucketHome(
            app: request.app?.lowercased() ?? "", user: user, bucket: request.bucket ?? "")
    }
}
