internal import Simperium

/// The users and applications of the servers.
///
/// A value: queries are answered from what was read at start.
public struct Accounts: Hashable, Sendable {
    /// A user with what proves it.
    struct Entry: Hashable, Sendable {
        var user: User
        var password: String?
        /// Identifiers of the applications in lower case; nil for all.
        var apps: Set<String>?
    }

    /// Whether all users are accepted.
    public internal(set) var isOpen = false
    /// Whether any password and any token is accepted, and unknown users are new ones.
    var takesAll = false
    /// The user for unknown names and tokens; nil where each is a separate user.
    var stranger: User?
    /// What recorded servers decided.
    var recorded = Recorded()
    /// By name in lower case; where all users are accepted, those whose identifiers are known.
    var users: [String: Entry] = [:]
    /// Names in lower case, by token.
    var tokens: [String: String] = [:]
    /// By identifier in lower case; nil for any.
    var apps: [String: Application]?

    /// No user is accepted.
    init() {}

    /// All users are accepted: any user with any password that is not empty, in any domain, and any
    /// token of 32 or more letters and digits, each as a separate user.
    public static let open: Accounts = {
        var accounts = Accounts()
        accounts.isOpen = true
        return accounts
    }()

    /// The user with this name and password.
    ///
    /// - Parameters:
    ///   - name: As sent; upper and lower case are the same.
    ///   - password: As sent.
    ///   - domain: The CommCare domain; nil for none.
    /// - Returns: Nil where the name or the password is wrong, or the domain is not the user's. The
    ///   user may be inactive.
    public func user(name: String, password: String, domain: String?) -> User? {
        if takesAll { return user(named: name) }
        guard 1...255 ~= name.utf8.count, !password.isEmpty else { return nil }
        if isOpen { return openUser(name) }
        guard let entry = users[name.lowercased()], let right = entry.password,
            Self.areSame(right, password)
        else { return nil }
        if let domain, let domains = entry.user.domains, !domains.contains(domain) { return nil }
        return entry.user
    }

    /// The user of this token in this application.
    ///
    /// - Returns: Nil where the token is unknown, or not for this application. The user may be
    ///   inactive.
    public func user(token: String, app: String) -> User? {
        guard IdentifierGrammar.isToken(token) else { return nil }
        if isOpen {
            guard application(app) != nil else { return nil }
            return User(name: "\(token.prefix(8))@simperium.invalid", account: token)
        }
        guard let name = tokens[token], let entry = users[name] else { return nil }
        return mayUse(entry, app) ? entry.user : nil
    }

    /// The user of this token, whatever the application.
    ///
    /// - Returns: Nil where the token is unknown. The user may be inactive.
    public func user(bearer token: String) -> User? {
        if takesAll {
            return tokens[token].flatMap { users[$0]?.user }
                ?? user(named: String(token.prefix(255)))
        }
        if isOpen, let user = tokens[token].flatMap({ users[$0]?.user }) ?? stranger { return user }
        guard IdentifierGrammar.isToken(token) else { return nil }
        if isOpen {
            return User(
                name: "\(token.prefix(8))@simperium.invalid", uuid: User.identifier(of: token),
                account: token)
        }
        return tokens[token].flatMap { users[$0]?.user }
    }

    /// The user with this name, whatever the password and the application.
    public func user(named name: String) -> User? {
        guard 1...255 ~= name.utf8.count else { return nil }
        if takesAll { return users[name.lowercased()]?.user ?? stranger ?? User(name: name) }
        return isOpen ? openUser(name) : users[name.lowercased()]?.user
    }

    /// The user with this name, for a token that the server gave out itself.
    public func user(named name: String, app: String) -> User? {
        if isOpen { return application(app).map { _ in openUser(name) } }
        guard let entry = users[name.lowercased()] else { return nil }
        return mayUse(entry, app) ? entry.user : nil
    }

    /// Whether there is a user with this name, whatever the password; never where all users are
    /// accepted.
    public func knows(name: String) -> Bool { users[name.lowercased()] != nil }

    /// The application with this identifier; nil where it is unknown.
    public func application(_ id: String) -> Application? {
        guard let apps else { return Application(id: id) }
        return apps[id.lowercased()]
    }

    /// A user where all are accepted.
    private func openUser(_ name: String) -> User {
        users[name.lowercased()]?.user ?? stranger ?? User(name: name)
    }

    private func mayUse(_ entry: Entry, _ app: String) -> Bool {
        application(app) != nil && entry.apps?.contains(app.lowercased()) ?? true
    }

    /// Whether two texts are equal, in constant time.
    private static func areSame(_ a: String, _ b: String) -> Bool {
        let a = Array(a.utf8)
        let b = Array(b.utf8)
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
