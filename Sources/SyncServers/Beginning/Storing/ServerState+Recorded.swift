internal import Notation
internal import Storage

/// The users of recorded servers, in the state file of a server that began with a trace.
extension ServerState {
    /// Whether nothing was ever written to it.
    func isEmpty() throws(SyncServerError) -> Bool {
        do {
            return try connect().integer("SELECT count(*) FROM sqlite_schema") == 0
        } catch {
            throw Self.error(error, path)
        }
    }

    /// Writes recorded users, for later starts.
    func write(_ accounts: Accounts) throws(SyncServerError) {
        do throws(StorageFault) {
            let connection = try connect()
            try connection.execute(
                "CREATE TABLE recorded_accounts (accounts TEXT NOT NULL -- JSON\n) STRICT")
            let add = try connection.prepare("INSERT INTO recorded_accounts VALUES (?)")
            add.bind(1, copying: accounts.recordedJSON.bytes(), asText: true)
            try add.run()
        } catch {
            throw Self.error(error, path)
        }
    }

    /// The accounts with the recorded users that the file has.
    func accounts(_ accounts: Accounts) throws(SyncServerError) -> Accounts {
        var accounts = accounts
        do throws(StorageFault) {
            let connection = try connect()
            let tables = try connection.integer(
                "SELECT count(*) FROM sqlite_schema WHERE name = 'recorded_accounts'")
            guard tables > 0,
                let text = try connection.text("SELECT accounts FROM recorded_accounts")
            else { return accounts }
            guard let json = try? JSONValue(parsing: text) else {
                throw .damaged("recorded_accounts", "rowid 1", "accounts")
            }
            accounts.takeRecorded(json)
            return accounts
        } catch {
            throw Self.error(error, path)
        }
    }
}

extension Accounts {
    /// What ``takeRecorded(_:)`` takes.
    fileprivate var recordedJSON: JSONValue {
        func texts(_ values: some Sequence<String>) -> JSONValue {
            .array(values.sorted().map { .string($0) })
        }
        func object(_ members: [String: JSONValue]) -> JSONValue {
            .object(
                JSONObject(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }))
        }
        var members: [String: JSONValue] = [
            "refused_tokens": texts(recorded.refusedTokens),
            "refused_credentials": object(
                recorded.refusedCredentials.mapValues { .number(String($0)) }),
        ]
        if isOpen {
            members["users"] = object(
                users.mapValues { entry in
                    object([
                        "name": .string(entry.user.name), "uuid": .string(entry.user.uuid),
                        "account": .string(entry.user.account),
                        "groups": texts(entry.user.groups),
                    ])
                })
            members["tokens"] = object(tokens.mapValues { .string($0) })
            members["bound"] = texts(recorded.bound)
            members["only_users"] = object(recorded.onlyUsers.mapValues { .string($0) })
            if let stranger { members["only_user"] = .string(stranger.name) }
        }
        return object(members)
    }

    /// Takes recorded users; where not all users are accepted, only what is refused.
    fileprivate mutating func takeRecorded(_ json: JSONValue) {
        func texts(_ value: JSONValue?) -> [String] {
            guard case .array(let elements) = value else { return [] }
            return elements.compactMap(\.string)
        }
        func members(_ name: String) -> [(String, JSONValue)] {
            guard case .object(let object) = json[name] else { return [] }
            return object.members.map { ($0.key.string, $0.value) }
        }
        recorded.refusedTokens = Set(texts(json["refused_tokens"]))
        for (credential, status) in members("refused_credentials") {
            if case .number(let text) = status {
                recorded.refusedCredentials[credential] = Int(text)
            }
        }
        guard isOpen else { return }
        for (key, value) in members("users") {
            guard let name = value["name"]?.string else { continue }
            users[key] = Entry(
                user: User(
                    name: name, uuid: value["uuid"]?.string, account: value["account"]?.string,
                    groups: texts(value["groups"])))
        }
        for (token, name) in members("tokens") { tokens[token] = name.string }
        recorded.bound = Set(texts(json["bound"]))
        for (app, name) in members("only_users") { recorded.onlyUsers[app] = name.string }
        if let name = json["only_user"]?.string { stranger = user(named: name) }
    }
}
