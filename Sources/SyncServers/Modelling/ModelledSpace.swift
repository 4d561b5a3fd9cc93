internal import Notation
internal import OpenRosa
internal import Serving
internal import Wire

/// A CommCare domain as a recording implies it: the embedded server with its users, cases and sync
/// tokens, which moves along with what the recording answers.
struct ModelledSpace {
    /// A user whose data are known.
    struct Profile {
        var user: Accounts.User
        /// Whether what the user has was learned from a restore.
        var isRestored = false
        /// Whether the model took something that a restore of the recording would lack.
        var isOnOwn = false
    }

    /// Its name; `demo` for the address of OpenRosa without domain.
    let name: String
    private(set) var server: CommCareServer
    /// By identifier.
    private(set) var profiles: [String: Profile] = [:]
    private var random: SplitMix64

    init(name: String, seed: UInt64) {
        self.name = name
        random = SplitMix64(seed: seed)
        var accounts = Accounts()
        accounts.takesAll = true
        var options = CommCareServer.Options()
        options.restoreSlice = 0
        server = CommCareServer(options: options, accounts: accounts)
        server.isKept = false
    }

    /// What there is in the domain; taken out, so that changing it copies nothing.
    private mutating func takeDomain() -> CommCareDomain {
        server.domains.removeValue(forKey: name) ?? CommCareDomain()
    }

    // MARK: Users

    /// The credentials of a user: a name without its domain, or a token.
    static func login(_ request: ServedRequest, _ domain: String) -> String? {
        if let name = request.user {
            guard let at = name.lastIndex(of: "@") else { return name }
            let place = name[name.index(after: at)...]
            return place == domain || place == "\(domain).commcarehq.org"
                ? String(name[..<at]) : name
        }
        guard let value = request.value("authorization"),
            value.prefix(while: { $0 != " " }).lowercased() == "bearer"
        else { return nil }
        return String(value.dropFirst("bearer".count).drop { $0 == " " })
    }

    /// Whose data a request is about, as it names them.
    static func subject(_ request: ServedRequest, _ domain: String) -> String? {
        let other =
            request.parameter("as")
            ?? request.parameters.first { $0.name == "commcare_login_as" }?.value
        if let other, !other.isEmpty { return other }
        return login(request, domain)
    }

    /// The user whose data a request is about; nil where the name is unknown.
    func profile(_ request: ServedRequest) -> Profile? {
        guard let subject = Self.subject(request, name) else {
            return server.accounts.stranger.flatMap { profiles[$0.uuid] }
        }
        let user = server.accounts.users[subject.lowercased()]?.user ?? server.accounts.stranger
        return user.flatMap { profiles[$0.uuid] }
    }

    /// Binds a name or token to a user, who may have had another one before.
    private mutating func learn(_ user: Accounts.User, as names: [String?]) {
        profiles[user.uuid, default: Profile(user: user)].user = user
        for name in names.compactMap({ $0 }) + [user.name] {
            server.accounts.users[name.lowercased()] = Accounts.Entry(user: user)
            server.accounts.tokens[name] = name.lowercased()
        }
        for (name, entry) in server.accounts.users where entry.user.uuid == user.uuid {
            server.accounts.users[name]?.user = user
        }
        // Who is alone is meant by every name.
        server.accounts.stranger = profiles.count == 1 ? user : nil
    }

    private mutating func add(_ owners: Set<String>, to uuid: String) {
        guard var user = profiles[uuid]?.user else { return }
        let fresh = owners.subtracting(user.groups).subtracting([uuid, ""])
        guard !fresh.isEmpty else { return }
        user.groups = (user.groups + fresh).sorted()
        learn(user, as: [])
    }

    private mutating func change(_ uuid: String?, _ body: (inout Profile) -> Void) {
        guard let uuid, var profile = profiles[uuid] else { return }
        body(&profile)
        profiles[uuid] = profile
    }

    // MARK: Restores

    /// The contents of a recorded restore.
    struct Restore {
        var user: CaseSet.User?
        var token: String?
        var blocks: [CaseBlock] = []
        var ledgers: [LedgerBlock] = []

        /// Nil where it is none, or not whole.
        init?(_ body: [UInt8]) {
            let bounds = CommCareBounds(
                text: CommCareServer.Limit.form, event: CommCareServer.Limit.form,
                members: 100_000)
            var result = (user: CaseSet.User?.none, token: String?.none)
            var blocks: [CaseBlock] = []
            var ledgers: [LedgerBlock] = []
            let reader = CommCareReader(bounds: bounds) { event in
                switch event {
                case .registration(let registration): result.user = .init(registration)
                case .restoreID(let id): result.token = id.id
                case .caseBlock(let block): blocks.append(block)
                case .ledger(let block): ledgers.append(block)
                default: break
                }
            }
            do {
                try reader.feed(body.span)
                try reader.finish()
            } catch {
                return nil
            }
            guard result.user != nil || result.token != nil else { return nil }
            (user, token, self.blocks, self.ledgers) = (result.user, result.token, blocks, ledgers)
        }
    }

    /// Adds a restore that the recording sent or has to send.
    ///
    /// - Parameters:
    ///   - restore: Its contents.
    ///   - request: The request.
    ///   - unborn: Cases that do not exist yet; nil where the restore was sent, so that its token
    ///     is known from now on.
    ///   - now: Seconds since 1970.
    mutating func take(
        _ restore: Restore, _ request: ServedRequest, without unborn: Set<ExactText>?, now: Int64
    ) {
        let subject = Self.subject(request, name)
        let known = profile(request)
        let called = restore.user?.username ?? known?.user.name ?? subject ?? "user"
        var user = known?.user ?? Accounts.User(name: called)
        user.name = called
        user.uuid = restore.user?.uuid ?? request.parameter("user_id") ?? user.uuid
        user.groups = profiles[user.uuid]?.user.groups ?? []
        if let known, known.user.uuid != user.uuid, !known.isRestored {
            // The same user, of whom only forms were seen.
            profiles[known.user.uuid] = nil
            profiles[user.uuid] = Profile(user: user, isOnOwn: known.isOnOwn)
            user.groups += known.user.groups + [known.user.uuid]
        }
        learn(user, as: [subject])
        var space = takeDomain()
        space.count += 1
        let since = request.parameter("since").flatMap { $0.isEmpty ? nil : $0 }
        var touched = CaseSet()
        for block in restore.blocks {
            guard let id = block.caseID, !id.isEmpty, unborn?.contains(ExactText(id)) != true
            else { continue }
            if since != nil, touched[id] == nil, let state = space.set[id] { touched.put(state) }
            _ = try? touched.apply(block, from: .restore, .tolerant)
        }
        for var state in touched.cases.values where (state.ownerID ?? "").isEmpty {
            state.ownerID = user.uuid
            touched.put(state)
        }
        add(Set(touched.cases.values.compactMap(\.ownerID)), to: user.uuid)
        let changed = touched.cases.values.filter { space.set[$0.id] != $0 }
        space.make(.init(cases: Array(changed), ledgers: restore.ledgers))
        let owners = Set(
            ([user.uuid] + (profiles[user.uuid]?.user.groups ?? [])).map(ExactText.init))
        var held = touched
        if let since {
            // What it had before counts as well, and what it purges does not.
            let before = space.logs[since]?.cases.caseIDs ?? Set(space.footprint(owners).keys)
            for id in before where held[id.string] == nil {
                if let state = space.set[id.string] { held.put(state) }
            }
            _ = try? held.purge(owners: owners, passes: .complete)
        } else if unborn == nil, profiles[user.uuid]?.isOnOwn != true {
            // Everything the user has was in it.
            for id in space.footprint(owners).keys where touched[id.string] == nil {
                space.remove(id)
            }
        }
        if unborn == nil, let token = restore.token, !token.isEmpty {
            _ = space.keep(
                DeviceLog(
                    id: token, user: user.uuid, form: space.count, created: now,
                    cases: SyncLog(held, ownerIDs: owners)))
        }
        server.domains[name] = space
        change(user.uuid) { $0.isRestored = true }
    }

    /// A restore that was sent before, for another device: with a new sync token.
    ///
    /// - Returns: Nil where the token is unknown, or cannot be distinguished from the rest.
    mutating func give(_ body: [UInt8]) -> [UInt8]? {
        guard let token = Restore(body)?.token, token.utf8.count >= 8,
            var log = server.domains[name]?.logs[token]
        else { return nil }
        log.id = CommCareServer.identifier(&random)
        _ = server.domains[name]?.keep(log)
        let (old, new) = (Array(token.utf8), Array(log.id.utf8))
        var result: [UInt8] = []
        var rest = body[...]
        while let place = rest.firstRange(of: old) {
            result += rest[..<place.lowerBound] + new
            rest = rest[place.upperBound...]
        }
        return result + rest
    }

    // MARK: Requests

    /// The form that is submitted; nil where there is none to be read.
    static func form(_ request: ServedRequest) -> FormDocument? {
        guard case .whole(let body) = CommCareServer.body(request),
            case .found(let form, _) = CommCareServer.parts(body, request, true)
        else { return nil }
        return try? FormDocument(form)
    }

    /// Submits a form to the server.
    ///
    /// - Parameters:
    ///   - request: The submission.
    ///   - isOwn: Whether the recording has no answer to it.
    ///   - now: Seconds since 1970.
    /// - Returns: The server's answer.
    mutating func submit(_ request: ServedRequest, isOwn: Bool, now: Int64) -> ServedAnswer? {
        guard request.method == "POST", let form = Self.form(request) else {
            return ask(request, now: now)
        }
        let uuid = author(of: form, request)
        prepare(form, uuid, request)
        let before = server.formCount(domain: name)
        let answer = ask(request, now: now)
        guard isOwn, server.formCount(domain: name) > before else { return answer }
        let owners = Set(
            form.caseBlocks.compactMap { server.domains[name]?.set[$0.caseID ?? ""]?.ownerID })
        for profile in profiles.values {
            let isConcerned =
                profile.user.uuid == uuid
                || !owners.isDisjoint(with: [profile.user.uuid] + profile.user.groups)
            if isConcerned { change(profile.user.uuid) { $0.isOnOwn = true } }
        }
        return answer
    }

    /// The user who sends a form; registered where unknown.
    private mutating func author(of form: FormDocument, _ request: ServedRequest) -> String? {
        if let profile = profile(request) { return profile.user.uuid }
        guard let subject = Self.subject(request, name) else { return nil }
        let id = form.caseBlocks.lazy.compactMap(\.userID).first { !$0.isEmpty }
        learn(Accounts.User(name: subject, uuid: id), as: [subject])
        return profile(request)?.user.uuid
    }

    /// Creates the cases of a form that the recording never contained.
    private mutating func prepare(
        _ form: FormDocument, _ uuid: String?, _ request: ServedRequest
    ) {
        var space = takeDomain()
        var created: Set<String> = []
        var owners: Set<String> = []
        for block in form.caseBlocks {
            guard let id = block.caseID, !id.isEmpty else { continue }
            let isNew = created.insert(id).inserted && space.set[id] == nil
            if let create = block.create {
                if let owner = create.ownerID ?? block.userID { owners.insert(owner) }
            } else if isNew {
                space.put(Self.stub(id, owner: uuid ?? block.userID), form: space.count)
            }
        }
        for block in form.caseBlocks {
            for index in block.indices where !index.target.isEmpty {
                guard !created.contains(index.target), space.set[index.target] == nil else {
                    continue
                }
                var stub = Self.stub(index.target, owner: uuid ?? block.userID)
                stub.caseType = index.caseType ?? stub.caseType
                space.put(stub, form: space.count)
            }
        }
        if let uuid {
            // Cases that a user makes for a group are that user's as well; those for others not.
            for other in profiles.values where other.user.uuid != uuid {
                owners.remove(other.user.uuid)
            }
            add(owners, to: uuid)
            if let token = request.value(CommCareRequest.lastSyncToken) {
                space.own(Set(owners.map(ExactText.init)), token: token)
            }
        }
        server.domains[name] = space
    }

    /// A case with only its identifier known.
    private static func stub(_ id: String, owner: String?) -> CaseState {
        var state = CaseState(id: id)
        (state.ownerID, state.caseType, state.name) = (owner, "case", id)
        return state
    }

    /// Lets the server answer, whatever the credentials.
    mutating func ask(_ request: ServedRequest, now: Int64) -> ServedAnswer? {
        var request = request
        if request.value("authorization") == nil, let only = server.accounts.stranger {
            request.fields.append(
                .init(
                    "Authorization", BasicCredentials(user: only.name, password: "-").authorization)
            )
        }
        let subject = profile(request)?.user.uuid
        let answer = server.answer(request, now: now, random: &random)
        // Nothing is written to a file.
        _ = server.takeRecords()
        if request.segments.contains("claim-case"), answer?.status == 201 {
            change(subject) { $0.isOnOwn = true }
        }
        return answer
    }
}
