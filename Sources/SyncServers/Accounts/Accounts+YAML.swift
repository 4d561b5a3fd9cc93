internal import Simperium
internal import Yams

extension Accounts {
    /// Reads users and applications from a YAML file.
    ///
    ///     users:                     # everybody without it, as in ``open``
    ///       - name: ann
    ///         password: secret
    ///         domains: [demo]        # CommCare; every domain without it
    ///         groups: [a1b2]         # CommCare; own cases beside the user
    ///         apps: [notes-1]        # Simperium; every application without it
    ///         tokens: [0123456789abcdef0123456789abcdef]
    ///         uuid: 0a1b             # made of the name without it
    ///         active: true           # false: 406 user.deactivated, 401
    ///         read-only: false       # true: changes are refused with 401
    ///         login-as: false        # true: CommCare's data of others, by `as`
    ///     apps:
    ///       - id: notes-1            # any application without `apps`
    ///         buckets:               # any bucket without it
    ///           - name: note         # "*" for every other bucket
    ///             versions: 60
    ///             tenth-versions: 100
    ///             log: 1000
    ///             object-bytes: 1048576
    ///             objects: 1000000
    ///             removal-mark: deleted
    ///
    /// - Throws: ``AccountsError`` for anything else, unknown words included.
    public init(yaml: String) throws(AccountsError) {
        self.init()
        guard yaml.utf8.count <= 16 << 20 else {
            throw AccountsError(line: 1, "the file is larger than 16 MiB")
        }
        let top = try AccountsNode(parsing: yaml).members(["users", "apps"])
        if let list = top["apps"] {
            var apps: [String: Application] = [:]
            for node in try list.elements() {
                let app = try Self.application(node)
                guard apps.updateValue(app, forKey: app.id.lowercased()) == nil else {
                    throw node.error("the application \(app.id) is defined twice")
                }
            }
            self.apps = apps
        }
        isOpen = top["users"] == nil
        for node in try top["users"]?.elements() ?? [] { try add(node) }
    }

    private static func application(_ node: AccountsNode) throws(AccountsError) -> Application {
        let members = try node.members(["id", "buckets"])
        let id = try node.required("id", in: members)
        let text = try id.text()
        guard IdentifierGrammar.isApp(text) else {
            throw id.error("an application's id is 1 to 256 letters, digits and ._-")
        }
        guard let list = members["buckets"] else { return Application(id: text) }
        var buckets: [String: BucketOptions] = [:]
        for node in try list.elements() {
            let (name, options) = try bucket(node)
            guard buckets.updateValue(options, forKey: name) == nil else {
                throw node.error("the bucket \(name) is defined twice")
            }
        }
        return Application(id: text, buckets: buckets)
    }

    private static func bucket(
        _ node: AccountsNode
    ) throws(AccountsError) -> (name: String, options: BucketOptions) {
        let members = try node.members([
            "name", "versions", "tenth-versions", "log", "object-bytes", "objects", "removal-mark",
        ])
        let name = try node.required("name", in: members)
        let text = try name.text()
        guard text == "*" || IdentifierGrammar.isBucket(text) else {
            throw name.error("a bucket's name is 1 to 64 letters, digits and ._-%, or *")
        }
        var options = SimperiumServer.usualOptions.bucket
        if let node = members["versions"] { options.newestVersions = try node.number(1...10_000) }
        if let node = members["tenth-versions"] {
            options.tenthVersions = try node.number(0...10_000)
        }
        if let node = members["log"] { options.loggedChanges = try node.number(1...1_000_000) }
        if let node = members["object-bytes"] {
            options.objectBytes = try node.number(2...(4 << 20))
        }
        if let node = members["objects"] { options.objects = try node.number(0...10_000_000) }
        options.removalMark = try members["removal-mark"]?.text()
        return (text, options)
    }

    private mutating func add(_ node: AccountsNode) throws(AccountsError) {
        let members = try node.members([
            "name", "password", "domains", "groups", "apps", "tokens", "uuid", "active",
            "read-only", "login-as",
        ])
        let name = try node.required("name", in: members)
        let text = try name.text()
        guard 1...255 ~= text.utf8.count, !text.contains(":") else {
            throw name.error("a user's name is 1 to 255 bytes without a colon")
        }
        let key = text.lowercased()
        guard users[key] == nil else { throw name.error("the user \(text) is defined twice") }
        let password = try members["password"]?.text()
        if password?.isEmpty == true { throw name.error("the password of \(text) is empty") }
        let user = User(
            name: text, uuid: try members["uuid"]?.text(),
            isActive: try members["active"]?.flag() ?? true,
            mayWrite: try !(members["read-only"]?.flag() ?? false),
            domains: try members["domains"]?.texts(), groups: try members["groups"]?.texts() ?? [],
            mayLoginAs: try members["login-as"]?.flag() ?? false)
        var allowed: Set<String>?
        if let list = members["apps"] {
            allowed = []
            for node in try list.elements() {
                let app = try node.text()
                guard application(app) != nil else {
                    throw node.error("there is no application \(app) under apps")
                }
                allowed?.insert(app.lowercased())
            }
        }
        users[key] = Entry(user: user, password: password, apps: allowed)
        for node in try members["tokens"]?.elements() ?? [] {
            let token = try node.text()
            guard IdentifierGrammar.isToken(token) else {
                throw node.error("a token is 32 to 1024 letters and digits")
            }
            guard tokens.updateValue(key, forKey: token) == nil else {
                throw node.error("two users have the same token")
            }
        }
    }
}
