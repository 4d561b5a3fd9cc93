/// The user and the password that a server may require.
public struct Credentials: Hashable, Sendable {
    /// How they are sent.
    public enum Scheme: Hashable, Sendable {
        /// Basic or digest, as required by the server's challenge.
        case asAsked
        /// Basic with the first request, before a challenge.
        ///
        /// Saves a round trip, and sends the password in clear text where it is not https.
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
