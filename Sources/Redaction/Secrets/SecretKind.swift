/// What sort of secret something is.
public enum SecretKind: String, Hashable, Sendable, CaseIterable {
    /// What gives access by itself: an access token, an API key, a nonce, the response of a digest.
    case token
    /// What a user enters to sign in.
    case password
    /// The value of a cookie.
    case cookie
    /// An e-mail address.
    case email
    /// What names a person: a name, a user name, a phone number.
    case person
    /// What names a device.
    case device
    /// A private key.
    case privateKey = "private-key"
    /// What a pattern of the user's own matches.
    case pattern

    /// Whether `--check-secrets` reports it; names of people and devices are not credentials.
    var isCredential: Bool { self != .person && self != .device }
}
