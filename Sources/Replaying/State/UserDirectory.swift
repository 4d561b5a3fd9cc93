internal import Notation
internal import OpenRosa
internal import Wire

/// Determines the user of a request to a CommCare server.
struct UserDirectory: Sendable {
    private struct Key: Hashable {
        var domain: String
        var user: ExactText?
        var device: ExactText?
    }

    private var places: [Key: Int] = [:]
    /// Places by sync token.
    private var tokens: [ExactText: Int] = [:]
    /// Names of users by their credentials.
    private var names: [ExactText: String] = [:]

    /// The identity in a request.
    struct Asker {
        var domain: String
        var user: String?
        var device: String?
        var token: String?
        var since: String?
        var state: String?
        var authorization: String?
    }

    /// The place of the user of a request among `users`, which is extended where it is new.
    mutating func place(of asker: Asker, in users: inout [UserState]) -> Int {
        if let token = asker.token ?? asker.since, let place = tokens[key(token, asker.domain)],
            asker.device == nil || users[place].device == asker.device
        {
            return place
        }
        let user = asker.user ?? asker.authorization.flatMap { names[ExactText($0)] }
        let key = Key(
            domain: asker.domain, user: user.map(ExactText.init),
            device: asker.device.map(ExactText.init))
        if let place = places[key] { return place }
        // A less specific identity matches a more specific one where there is only one such.
        let similar = users.indices.filter { index in
            let known = users[index]
            guard known.domain == asker.domain else { return false }
            return (user == nil || known.user == nil || known.user == user)
                && (asker.device == nil || known.device == asker.device)
        }
        if similar.count == 1, let place = similar.first {
            if users[place].user == nil, let user { users[place].user = user }
            places[key] = place
            return place
        }
        users.append(UserState(domain: asker.domain, user: user, device: asker.device))
        places[key] = users.count - 1
        return users.count - 1
    }

    /// A restore gave out a sync token.
    mutating func give(_ token: String, _ domain: String, to place: Int) {
        tokens[key(token, domain)] = place
    }

    /// Binds credentials to this user.
    mutating func name(_ authorization: String, _ user: String) {
        names[ExactText(authorization)] = user
    }

    /// The credentials that are bound to a user, sorted.
    func credentials(of user: String) -> [String] {
        names.filter { $0.value == user }.map(\.key.string).sorted()
    }

    /// The name of a user without the project, which devices may send with it.
    ///
    /// - Parameters:
    ///   - name: `ada`, `ada@demo` or `ada@demo.commcarehq.org`.
    ///   - domain: `HOST/a/PROJECT`.
    /// - Returns: `ada`.
    static func shortName(_ name: String, of domain: String) -> String {
        guard let at = name.lastIndex(of: "@"), let slash = domain.lastIndex(of: "/") else {
            return name
        }
        let project = domain[domain.index(after: slash)...]
        let place = name[name.index(after: at)...]
        return place == project || place == "\(project).commcarehq.org"
            ? String(name[..<at]) : name
    }

    private func key(_ token: String, _ domain: String) -> ExactText {
        ExactText("\(domain) \(token)")
    }
}

extension UserDirectory.Asker {
    init(_ exchange: RecordedExchange, _ request: ReplayMessage) {
        domain = Self.domain(exchange.host, exchange.path)
        let query = FormField.parse((exchange.query ?? "").utf8)
        func parameter(_ name: String) -> String? {
            query.last { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
        }
        authorization = request.value("authorization")
        user = SignedInUser.name(authorization: authorization, query: exchange.query)
        device = request.value("x-openrosa-deviceid") ?? parameter("device_id")
        token = request.value("x-commcarehq-lastsynctoken")
        since = parameter("since")
        state = parameter("state")
    }

    /// `HOST/a/PROJECT`; the host alone for servers without projects.
    static func domain(_ host: String, _ path: String) -> String {
        let parts = path.split(separator: "/")
        guard let place = parts.firstIndex(of: "a"), place + 1 < parts.count else { return host }
        return "\(host)/\(parts[...(place + 1)].joined(separator: "/"))"
    }
}
