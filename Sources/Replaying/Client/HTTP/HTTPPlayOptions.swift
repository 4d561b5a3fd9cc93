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
    /// Whether this client gets distinct cases, devices and objects, since others play as well.
    public var isDistinct = false
    /// The login in place of that of a recorded user (nil where it is unknown); nil keeps the
    /// recorded credentials.
    public var login: @Sendable (_ user: String?) -> Login? = { _ in nil }
    /// The access token in place of recorded ones that no answer replaced.
    public var token: String?
    /// The URL, without a trailing slash, that replaces a recorded host; nil for none.
    public var origin: @Sendable (_ host: String) -> String?
    /// The maximum number of times a request is sent again after 429 and 503.
    public var maxTries = 5
    /// The maximum number of polls for an answer that is being prepared.
    public var maxPolls = 240
    /// The maximum time in nanoseconds that one exchange waits because the server requires it.
    public var longestWait: Int64 = 600_000_000_000
    /// The maximum number of differences of one answer that are listed.
    public var maxDifferences = 20

    /// The usual options.
    ///
    /// - Parameter origin: The URL, without a trailing slash, that replaces a recorded host.
    public init(origin: @escaping @Sendable (_ host: String) -> String?) { self.origin = origin }
}
