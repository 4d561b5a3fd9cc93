internal import Notation
internal import OpenRosa
internal import Simperium
internal import Wire

extension SessionState {
    /// What the servers hold by now; without the past where this state does not keep it.
    public var holdings: ServerHoldings {
        var holdings = ServerHoldings()
        holdings.buckets = allBuckets.compactMap(\.holding)
        holdings.tokens = accounts.map { token, account in
            ServerHoldings.Token(token: token.string, app: account.app, user: account.user)
        }.sorted { ($0.app, $0.user, $0.token) < ($1.app, $1.user, $1.token) }
        holdings.refusedTokens = Set(refusedTokens.map(\.string))
        for (credential, status) in refusedCredentials {
            holdings.refusedCredentials[credential.string] = status
        }
        holdings.projects = domains.values.map(project).sorted { $0.name < $1.name }
        holdings.users = heldUsers
        return holdings
    }
}

extension SessionState {
    private func project(_ domain: DomainState) -> ServerHoldings.Project {
        let restores = users.filter { $0.domain == domain.name }.flatMap { user in
            user.server.logs.map {
                ServerHoldings.Restore(
                    token: $0.token,
                    user: user.user.map { UserDirectory.shortName($0, of: user.domain) },
                    at: $0.at, log: $0.log)
            }
        }
        return ServerHoldings.Project(
            name: domain.name, cases: domain.cases.cases.values.sorted { $0.id < $1.id },
            changed: domain.history?.changed ?? [:],
            ledgers: domain.history?.ledgers.ledgers ?? domain.cases.ledgers,
            ledgerChanges: domain.history?.ledgerChanges ?? [:],
            forms: domain.history?.forms ?? [],
            refusedForms: (domain.history?.refusedForms ?? [:]).values.sorted {
                $0.form.instanceID < $1.form.instanceID
            }, restores: restores.sorted { $0.at < $1.at },
            now: order)
    }

    /// Users who are known by name, each once.
    private var heldUsers: [ServerHoldings.User] {
        var found: [String: ServerHoldings.User] = [:]
        for user in users {
            guard let full = user.user else { continue }
            let name = UserDirectory.shortName(full, of: user.domain)
            var held = found[name] ?? .init(name: name, id: nil, owners: nil, credentials: [])
            held.id = held.id ?? user.server.userID
            held.owners = user.client.owners ?? held.owners
            held.credentials = directory.credentials(of: full)
            found[name] = held
        }
        return found.values.sorted { $0.name < $1.name }
    }
}

extension BucketState {
    /// What the server holds of the bucket; nil where the trace does not say anything of that.
    var holding: ServerHoldings.Bucket? {
        guard cv != nil || !objects.isEmpty || user != nil else { return nil }
        let keys = objects.keys.sorted {
            $0.string.utf8.lexicographicallyPrecedes($1.string.utf8)
        }
        let (start, log, known) = cv.flatMap { history?.changes(to: $0) } ?? (cv, [], [])
        var held = ServerHoldings.Bucket(
            app: app, user: user, name: name, cv: cv, objects: [], unknown: [:], logStart: start,
            log: log, known: known, refusals: Array((history?.refusals ?? [:]).values))
        for key in keys {
            guard let object = objects[key] else { continue }
            if let seed = seed(key, object) {
                held.objects.append(seed)
            } else {
                held.unknown[key] = object.version
            }
        }
        let removed = (history?.removals ?? [:]).filter { objects[$0.key] == nil }
        for (key, number) in removed.sorted(by: { $0.key.string < $1.key.string }) {
            held.objects.append(
                ServerObject(key: key.string, number: number, isRemoved: true, versions: []))
        }
        return held
    }

    /// An object with its known versions; nil where its data are unknown.
    private func seed(_ key: ExactText, _ object: Ledger.Object) -> ServerObject? {
        guard let data = object.value else { return nil }
        // Those from before a removal are of another object.
        let born = history?.removals[key] ?? 0
        let past = (history?.versions[key] ?? []).filter {
            born..<object.version ~= $0.number
        }
        var versions = past.compactMap { version in
            Ledger.Object.value(version.json).map {
                ServerObject.Version(number: version.number, data: $0, change: version.change)
            }
        }
        let change = history?.versions[key]?.last { $0.number == object.version }?.change
        versions.append(
            ServerObject.Version(number: object.version, data: data, change: change))
        return ServerObject(
            key: key.string, number: object.version, isRemoved: false, versions: versions)
    }
}

extension ServerHoldings {
    /// Adds the data of versions of which only the number was known, and refusals, from what the
    /// same server showed later: what a version is, it stays.
    ///
    /// - Parameter later: The state of the same session at a later time, with its past.
    public mutating func complete(from later: SessionState) {
        for place in buckets.indices {
            let match = later.allBuckets.first {
                $0.app == buckets[place].app && $0.name == buckets[place].name
                    && $0.user == buckets[place].user
            }
            if let history = match?.history { buckets[place].complete(from: history) }
        }
    }
}

extension ServerHoldings.Bucket {
    fileprivate mutating func complete(from history: BucketHistory) {
        for (key, number) in unknown {
            guard let version = history.versions[key]?.first(where: { $0.number == number }),
                let data = Ledger.Object.value(version.json)
            else { continue }
            unknown[key] = nil
            objects.insert(ServerObject(key: key.string, number: number, data: data), at: 0)
        }
        objects.sort {
            $0.isRemoved != $1.isRemoved
                ? !$0.isRemoved : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }
        refusals = Array(history.refusals.values)
    }
}
