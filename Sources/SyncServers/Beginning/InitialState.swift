internal import Notation
internal import OpenRosa
public import Replaying
internal import Simperium

/// What a server begins with: what recorded servers held, brought together with its accounts.
///
/// Recorded users keep their names and identifiers, and recorded tokens lead to them. Where all
/// users are accepted, any other token leads to the only recorded user of its application, and any
/// other name to the only recorded user at all: a trace may have stand-ins for both, and a client
/// that signs in anew has another token.
public struct InitialState: Sendable {
    /// How much there is.
    public struct Counts: Hashable, Sendable {
        /// Buckets of Simperium.
        public var buckets = 0
        /// Objects in them.
        public var objects = 0
        /// Changes that can be fetched by `cv`.
        public var changes = 0
        /// Projects of CommCare.
        public var projects = 0
        /// Cases in them, closed ones included.
        public var cases = 0
        /// Forms that were accepted.
        public var forms = 0
        /// Sync tokens that devices can go on from.
        public var syncTokens = 0
        /// Users of both.
        public var users = 0
    }

    /// How much there is.
    public private(set) var counts = Counts()
    /// What cannot be served, each as a clause such as `3 objects whose data the trace does not
    /// have`.
    public private(set) var leftOut: [String] = []
    /// The accounts with the recorded users.
    private(set) var accounts: Accounts
    /// Buckets of Simperium.
    private(set) var buckets: [(id: ServerModel.BucketID, held: ServerHoldings.Bucket)] = []
    /// Users of Simperium by token.
    private(set) var tokens: [String: SimperiumServer.Account] = [:]
    /// CommCare projects, by name.
    private(set) var domains: [String: CommCareDomain] = [:]

    /// The state of recorded servers for servers with these accounts.
    ///
    /// - Parameters:
    ///   - holdings: What the recorded servers held.
    ///   - accounts: The accepted users.
    ///   - now: Seconds since 1970; sync tokens count as given out then.
    public init(_ holdings: ServerHoldings, accounts: Accounts, now: Int64) {
        self.accounts = accounts
        var users: Set<String> = []
        takeSimperium(holdings, &users)
        takeCommCare(holdings, &users, now: now)
        counts.users = users.count
        // Names may be stand-ins as well.
        if accounts.isOpen, users.count == 1, let name = users.first {
            self.accounts.stranger = self.accounts.user(named: name)
        }
    }

    // MARK: Simperium

    private mutating func takeSimperium(_ holdings: ServerHoldings, _ users: inout Set<String>) {
        var names: [String: Set<String>] = [:]
        for bucket in holdings.buckets {
            if let user = bucket.user { names[bucket.app.lowercased(), default: []].insert(user) }
        }
        for token in holdings.tokens {
            names[token.app.lowercased(), default: []].insert(token.user)
        }
        for (app, all) in names where all.count == 1 {
            accounts.recorded.onlyUsers[app] = all.first
        }
        accounts.recorded.refusedTokens = holdings.refusedTokens
        var unknownUsers: Set<String> = []
        for token in holdings.tokens {
            guard let user = user(token.user, token.app, holdings) else {
                unknownUsers.insert(token.user)
                continue
            }
            users.insert(user.name)
            accounts.add(user)
            tokens[token.token] = SimperiumServer.Account(app: token.app, user: user.name)
        }
        var missing = 0
        var nameless = 0
        for bucket in holdings.buckets {
            guard IdentifierGrammar.isApp(bucket.app) else {
                nameless += 1
                continue
            }
            let name =
                bucket.user ?? accounts.recorded.onlyUsers[bucket.app.lowercased()] ?? "unknown"
            guard let user = user(name, bucket.app, holdings) else {
                unknownUsers.insert(name)
                continue
            }
            let id = ServerModel.BucketID(
                app: bucket.app, account: user.account, name: bucket.name)
            // One without user beside that of the only user is an older view of the same.
            guard bucket.user != nil || !buckets.contains(where: { $0.id == id }) else { continue }
            users.insert(user.name)
            accounts.add(user)
            buckets.append((id, bucket))
            counts.buckets += 1
            counts.objects += bucket.count
            let options =
                accounts.application(id.app)?.options(bucket: id.name)
                ?? SimperiumServer.usualOptions.bucket
            counts.changes += min(bucket.log.count, options.loggedChanges)
            missing += bucket.unknown.count
        }
        if missing > 0 {
            leftOut.append("\(Self.count(missing, "object")) whose data the trace does not have")
        }
        if nameless > 0 {
            leftOut.append(
                "\(Self.count(nameless, "bucket")) whose application the trace does not have")
        }
        leave(unknownUsers)
    }

    /// The user of an application by a recorded name, or by a token that the accounts have as well.
    private func user(
        _ name: String, _ app: String, _ holdings: ServerHoldings
    ) -> Accounts.User? {
        if let user = accounts.user(named: name, app: app) { return user }
        return holdings.tokens.lazy.filter { $0.user == name }
            .compactMap { [accounts] in accounts.user(token: $0.token, app: app) }.first
    }

    private mutating func leave(_ unknownUsers: Set<String>) {
        guard !unknownUsers.isEmpty else { return }
        let names = unknownUsers.sorted().prefix(5).joined(separator: ", ")
        leftOut.append(
            "what \(Self.count(unknownUsers.count, "user")) had who \(unknownUsers.count == 1 ? "is" : "are")"
                + " not in the accounts file (\(names)\(unknownUsers.count > 5 ? ", …" : ""))")
    }

    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    // MARK: CommCare

    private mutating func takeCommCare(
        _ holdings: ServerHoldings, _ users: inout Set<String>, now: Int64
    ) {
        var known: [String: Accounts.User] = [:]
        var unknownUsers: Set<String> = []
        accounts.recorded.refusedCredentials = holdings.refusedCredentials
        for user in holdings.users {
            if accounts.isOpen {
                accounts.learn(
                    user, groups: groups(of: user, in: holdings))
            }
            guard let found = accounts.user(named: user.name) else {
                unknownUsers.insert(user.name)
                continue
            }
            users.insert(found.name)
            known[user.name] = found
        }
        for project in holdings.projects {
            let name = project.project
            var domain = domains[name] ?? CommCareDomain()
            let kept = domain.begin(with: project, users: known, now: now)
            domains[name] = domain
            counts.cases += project.cases.count
            counts.forms += project.forms.count
            counts.syncTokens += kept
        }
        counts.projects = domains.count
        leave(unknownUsers)
    }

    /// Owners whose cases a user gets, besides the user; nil for all.
    private func groups(
        of user: ServerHoldings.User, in holdings: ServerHoldings
    ) -> Set<ExactText>? {
        if let owners = user.owners { return owners }
        guard holdings.users.count > 1 else { return nil }
        let logs = holdings.projects.flatMap(\.restores).filter { $0.user == user.name }
        return logs.reduce(into: []) { $0.formUnion($1.log.ownerIDs) }
    }
}
