/// What is decided about an `init`.
public enum Admission: Hashable, Sendable {
    /// The client is let in.
    ///
    /// - user: What `auth` says: an address or a name.
    /// - account: What tells this user's buckets from those of others.
    /// - mayWrite: Whether changes are allowed; they are refused with 401 otherwise.
    case admitted(user: String, account: String, mayWrite: Bool = true)
    /// The client is not let in, and is told so.
    case refused(AuthReply)

    /// Source: Simperium WebSocket API, "Possible error codes".
    public static let malformedToken = Admission.refused(
        .refused(code: 400, message: "Token malformed"))
    /// The user needs a new token.
    public static let invalidToken = Admission.refused(
        .refused(code: 401, message: "Token invalid"))

    /// Anything else, such as a bucket's name that is not valid.
    public static func failed(_ message: String = "Error validating token") -> Admission {
        .refused(.refused(code: 500, message: message))
    }

    /// Lets everybody in whose token looks like one; each token is a user of its own.
    public static func ofAnyToken(_ request: InitRequest) -> Admission {
        let token = request.token ?? ""
        return .admitted(user: "\(token.prefix(8))@simperium.invalid", account: token)
    }
}
