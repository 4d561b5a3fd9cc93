internal import Notation
internal import Replaying

extension Accounts {
    /// What recorded servers decided, from which these go on.
    struct Recorded: Hashable, Sendable {
        /// Identifiers of users who get the cases of their groups alone though all users are
        /// accepted.
        var bound: Set<String> = []
        /// Values of `Authorization` that are refused whoever may be meant, with the status: 401 or
        /// 406.
        var refusedCredentials: [String: Int] = [:]
        /// Tokens of Simperium that are refused whoever may be meant.
        var refusedTokens: Set<String> = []
        /// The user whom unknown tokens of an application lead to, by its identifier in lower case.
        var onlyUsers: [String: String] = [:]
    }

    /// Adds a recorded user of Simperium, where all are accepted.
    mutating func add(_ user: User) {
        if isOpen, users[user.name.lowercased()] == nil {
            users[user.name.lowercased()] = Entry(user: user)
        }
    }

    /// Adds a recorded user, where all are accepted: with the recorded identifier and tokens.
    ///
    /// - Parameters:
    ///   - held: The user.
    ///   - groups: Owners whose cases the user gets; nil for all.
    mutating func learn(_ held: ServerHoldings.User, groups: Set<ExactText>?) {
        var user = User(name: held.name, uuid: held.id)
        if let groups {
            user.groups = groups.map(\.string).filter { $0 != user.uuid && !$0.isEmpty }.sorted()
            recorded.bound.insert(user.uuid)
        }
        let name = held.name.lowercased()
        if let known = users[name] { user.account = known.user.account }
        users[name] = Entry(user: user)
        for credential in held.credentials
        where credential.prefix(while: { $0 != " " }).lowercased() == "bearer" {
            tokens[String(credential.dropFirst("bearer".count).drop { $0 == " " })] = name
        }
    }
}
