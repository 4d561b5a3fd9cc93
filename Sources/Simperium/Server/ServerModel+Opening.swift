import Notation
internal import Wire

extension ServerModel {
    /// Answers `init`, and carries out the command that comes with it.
    ///
    /// The order is `auth`, `o`, and what the command gives, as if it had been sent after the `auth`.
    mutating func initialize(
        _ request: InitRequest, at place: ServerReply.Place, channel number: Int,
        admit: (InitRequest) -> Admission
    ) -> [ServerReply] {
        leave(place, number)
        let app = sessions[place.session]?.app ?? request.app
        switch decide(request, app, place, admit) {
        case .refused(let reply):
            var replies = [ServerReply(.one(place), .auth(reply))]
            if reply != .expired, Self.applies(options.legacyRefusal, to: Self.isOld(request)) {
                replies.insert(ServerReply(.one(place), .auth(.expired)), at: 0)
            }
            return replies
        case .admitted(let user, let account, let mayWrite):
            let id = BucketID(app: app ?? "", account: account, name: request.bucket ?? "")
            guard findBucket(id) else {
                return [ServerReply(.one(place), .auth(Self.full))]
            }
            let isLegacy = Self.applies(
                options.legacyChangeVersion, to: Self.isOld(request) || Self.isUnnamed(request))
            sessions[place.session]?.channels[number] = Channel(
                bucket: id,
                author: ChangeAuthor(clientID: request.clientID ?? "", mayWrite: mayWrite),
                isLegacy: isLegacy)
            subscribers[id, default: []].append(place)
            var replies = [ServerReply(.one(place), .auth(.accepted(user)))]
            if let options = options.channelOptions {
                replies.append(ServerReply(.one(place), .options(options)))
            }
            return replies + carryOut(request, at: place, number)
        }
    }

    /// Carries out the `cmd` of an `init`.
    private mutating func carryOut(
        _ request: InitRequest, at place: ServerReply.Place, _ number: Int
    ) -> [ServerReply] {
        var body: SimperiumBody<JSONValue>?
        switch (request.request, request.command) {
        case (.index(let request), _): body = .indexRequest(request)
        case (.changesSince(let cv), _): body = .changesSince(cv: cv)
        case (_, let text?):
            let message = Array("\(number):\(text)".utf8)
            let command = SimperiumCommand.parse(message, from: .client)
            guard command.channel == number,
                let read = SimperiumMessage(command, in: message)
            else { return [notUnderstood(place)] }
            body = read.body
        case (.other, nil): return [notUnderstood(place)]
        case (nil, nil): return []
        }
        guard let body, let channel = sessions[place.session]?.channels[number] else { return [] }
        // An `init` in an `init` could continue without end.
        if case .initialize = body { return [notUnderstood(place)] }
        return answer(body, at: place, channel)
    }

    /// What happens to an `init`.
    private func decide(
        _ request: InitRequest, _ app: String?, _ place: ServerReply.Place,
        _ admit: (InitRequest) -> Admission
    ) -> Admission {
        guard let token = request.token, !options.checksTokens || IdentifierGrammar.isToken(token)
        else { return .malformedToken }
        guard let app, IdentifierGrammar.isApp(app) else {
            return .failed("app_id is missing or not valid")
        }
        // Identifiers of applications are the same in upper and lower case.
        guard request.app == nil || request.app?.lowercased() == app.lowercased() else {
            return .failed("app_id is not that of the socket")
        }
        guard let name = request.bucket, IdentifierGrammar.isBucket(name) else {
            return .failed("Bucket name is not valid")
        }
        guard (sessions[place.session]?.channels.count ?? 0) < options.channels else {
            return .refused(Self.full)
        }
        var named = request
        named.app = app
        return admit(named)
    }

    private static let full = AuthReply.refused(code: 500, message: "Bucket limit reached")

    /// The channel no longer has a bucket.
    private mutating func leave(_ place: ServerReply.Place, _ number: Int) {
        guard let old = sessions[place.session]?.channels.removeValue(forKey: number) else {
            return
        }
        subscribers[old.bucket]?.removeAll { $0 == place }
    }

    private static func applies(_ legacy: ServerOptions.Legacy, to isOld: Bool) -> Bool {
        switch legacy {
        case .byClient: isOld
        case .never: false
        case .always: true
        }
    }

    /// Whether the `api` is missing or before 1.1.
    private static func isOld(_ request: InitRequest) -> Bool {
        let parts = (request.api ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let major = parts.first.flatMap { Int($0) } ?? 0
        let minor = parts.dropFirst().first.flatMap { Int($0) } ?? 0
        return (major, minor) < (1, 1)
    }

    /// Whether `library` or `version` is missing, or the version is 0.
    private static func isUnnamed(_ request: InitRequest) -> Bool {
        (request.library ?? "").isEmpty || (request.version ?? "").allSatisfy { "0.".contains($0) }
    }
}
