internal import Notation
internal import Serving
internal import Wire

extension CommCareServer {
    /// The user of a request, or its refusal.
    enum Access {
        case user(Accounts.User)
        /// No user signed in, and none is required.
        case nobody
        case refused(ServedAnswer)
    }

    /// Determines the user of a request to a domain: by basic authentication or a Bearer token.
    func access(_ request: ServedRequest, _ domain: String, isRequired: Bool) -> Access {
        guard let authorization = request.value("authorization") else {
            return isRequired
                ? .refused(
                    Self.unauthorized("Sign in with a user name and password, or a Bearer token"))
                : .nobody
        }
        switch accounts.recorded.refusedCredentials[authorization] {
        case nil: break
        case 406: return .refused(Self.deactivated)
        default:
            return .refused(Self.unauthorized("These credentials were refused in the recording"))
        }
        let user: Accounts.User
        switch authorization.prefix(while: { $0 != " " }).lowercased() {
        case "basic":
            guard let (name, password) = request.credentials.map({ ($0.user, $0.password) }),
                let known = self.user(name, password, domain)
            else {
                return .refused(Self.unauthorized("The user name or the password is wrong"))
            }
            user = known
        case "bearer":
            let token = authorization.dropFirst("bearer".count).drop { $0 == " " }
            guard let known = accounts.user(bearer: String(token)) else {
                return .refused(
                    Self.unauthorized(
                        "The token is not known; tokens are 32 or more letters and digits"))
            }
            user = known
        default:
            return .refused(
                Self.unauthorized("This way to sign in is not known; use Basic or Bearer"))
        }
        guard user.domains?.contains(domain) ?? true else {
            return .refused(
                Self.unauthorized("\(user.name) is no member of the domain \(domain)"))
        }
        guard user.isActive else { return .refused(Self.deactivated) }
        return .user(user)
    }

    /// Determines whose data is requested: the user's own, or that of another user as whom the user
    /// logs in.
    ///
    /// - Parameters:
    ///   - name: The other user; nil or empty for the user's own data.
    ///   - user: The user of the request.
    ///   - domain: The domain of both.
    /// - Returns: Whose data it is, or why it is not to be had.
    func loginAs(_ name: String?, by user: Accounts.User, _ domain: String) -> Access {
        guard let name, !name.isEmpty else { return .user(user) }
        guard user.mayLoginAs || accounts.isOpen || accounts.takesAll else {
            return .refused(
                Self.unauthorized(
                    "\(user.name) may not log in as others; `login-as: true` in the accounts file "
                        + "lets that be"))
        }
        let known = Self.names(name, domain).lazy.compactMap { self.accounts.user(named: $0) }.first
        guard let known, known.isActive, known.domains?.contains(domain) ?? true else {
            return .refused(Self.unauthorized("Invalid restore as user \(name)"))
        }
        return .user(known)
    }

    /// The user by this name, which devices send as `name@domain` or with the server's own domain.
    private func user(_ name: String, _ password: String, _ domain: String) -> Accounts.User? {
        Self.names(name, domain).lazy
            .compactMap { self.accounts.user(name: $0, password: password, domain: nil) }.first
    }

    /// What a user may be meant by: the name without its domain, and as it is.
    private static func names(_ name: String, _ domain: String) -> [String] {
        guard let at = name.lastIndex(of: "@") else { return [name] }
        let place = name[name.index(after: at)...]
        guard place == domain || place == "\(domain).commcarehq.org" else { return [name] }
        return [String(name[..<at]), name]
    }

    /// The users and groups whose cases a user gets; nil for all.
    func owners(_ user: Accounts.User) -> Set<ExactText>? {
        accounts.isOpen && !accounts.recorded.bound.contains(user.uuid)
            ? nil : Set(([user.uuid] + user.groups).map(ExactText.init))
    }

    private static func unauthorized(_ detail: String) -> ServedAnswer {
        .unauthorized(detail, challenge: "Basic realm=\"tapedeck\"")
    }

    private static var deactivated: ServedAnswer {
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
            ).text())
    }
}
