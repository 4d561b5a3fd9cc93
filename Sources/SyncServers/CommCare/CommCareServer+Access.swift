internal import Wire

extension CommCareServer {
    /// Who asks, or why that is not to be had.
    enum Access {
        case user(Accounts.User)
        /// Nobody signed in, and nobody has to.
        case nobody
        case refused(ServedAnswer)
    }

    /// Finds out who asks for something of a domain.
    func access(_ request: ServedRequest, _ domain: String, isRequired: Bool) -> Access {
        guard request.value("authorization") != nil else {
            return isRequired ? .refused(Self.unauthorized()) : .nobody
        }
        guard let (name, password) = request.credentials, let user = user(name, password, domain)
        else { return .refused(Self.unauthorized()) }
        guard user.isActive else {
            return .refused(
                .json(
                    406,
                    JSONValue.object(
                        JSONObject([
                            .init("error", .string("user.deactivated")),
                            .init(
                                "default_response",
                                .string(
                                    "Your account has been deactivated, please contact your "
                                        + "domain admin to reactivate")),
                        ])
                    ).text()))
        }
        return .user(user)
    }

    /// The user by this name, which devices send as `name@domain` or with the server's own domain.
    private func user(_ name: String, _ password: String, _ domain: String) -> Accounts.User? {
        if let at = name.lastIndex(of: "@") {
            let place = name[name.index(after: at)...]
            if place == domain || place == "\(domain).commcarehq.org",
                let user = accounts.user(
                    name: String(name[..<at]), password: password, domain: domain)
            {
                return user
            }
        }
        return accounts.user(name: name, password: password, domain: domain)
    }

    /// The users and groups whose cases a user gets; nil for all.
    func owners(_ user: Accounts.User) -> Set<ExactText>? {
        accounts.isOpen ? nil : Set(([user.uuid] + user.groups).map(ExactText.init))
    }

    private static func unauthorized() -> ServedAnswer {
        var answer = ServedAnswer.text(401, "Authorization required")
        answer.fields.append(.init("WWW-Authenticate", "Basic realm=\"tapedeck\""))
        return answer
    }
}
