/// The user and the password that a server may ask for.
public struct Credentials: Hashable, Sendable {
    /// How they are sent.
    public enum Scheme: Hashable, Sendable {
        /// Basic or digest, whichever the server asks for, after it asked.
        case asAsked
        /// Basic with the first request, before the server asks.
        ///
        /// Saves a round trip, and tells the password to whoever listens where it is not https.
        case preemptiveBasic
    }

    /// The user.
    public var user: String
    /// The password.
    public var password: String
    /// How they are sent.
    public var scheme: Scheme

    /// These credentials; they go to the host of the url alone, not to where it redirects.
    public init(user: String, password: String, scheme: Scheme = .asAsked) {
        self.user = user
        self.password = password
        self.scheme = scheme
    }
}
