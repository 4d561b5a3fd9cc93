/// How the HTTP requests of a recorded client are played.
public struct HTTPPlayOptions: Sendable {
    /// A user with a password.
    public struct Login: Hashable, Sendable {
        /// The user.
        public var user: String
        /// The password.
        public var password: String

        /// A user with a password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// What takes no part in comparing answers.
    public var leftOut = LeftOut.usual
    /// Whether this client gets cases, devices and objects of its own, since others play as well.
    public var isDistinct = false
    /// The login in place of that of a recorded user (nil where it is not known); nil keeps the
    /// recorded credentials.
    public var login: @Sendable (_ user: String?) -> Login? = { _ in nil }
    /// The access token in place of recorded ones that no answer replaced.
    public var token: String?
    /// The URL, without a slash at its end, that stands for a recorded host; nil where none does.
    public var origin: @Sendable (_ host: String) -> String?
    /// How often one request is sent again after 429 and 503, at most.
    public var maxTries = 5
    /// How often an answer that is being prepared is asked for, at most.
    public var maxPolls = 240
    /// Nanoseconds that one exchange spends waiting because the server asks for it, at most.
    public var longestWait: Int64 = 600_000_000_000
    /// Differences of one answer that are named, at most.
    public var maxDifferences = 20

    /// The usual options.
    ///
    /// - Parameter origin: The URL, without a slash at its end, that stands for a recorded host.
    public init(origin: @escaping @Sendable (_ host: String) -> String?) { self.origin = origin }
}
