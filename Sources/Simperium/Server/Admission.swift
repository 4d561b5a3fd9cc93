/// What is decided about an `init`.
public enum Admission: Hashable, Sendable {
    /// The client is authorised.
    ///
    /// - user: The value of `auth`: an address or a name.
    /// - account: The identifier of this user's buckets.
    /// - mayWrite: Whether changes are allowed; they are refused with 401 otherwise.
    case admitted(user: String, account: String, mayWrite: Bool = true)
    /// The client is refused, and gets the reason.
    case refused(AuthReply)

    /// Source: Simperium/Specification.md#init.
    public static let malformedToken = Admission.refused(
        .refused(code: 400, message: "Token malformed"))
    /// The user needs a new token.
    public static let invalidToken = Admission.refused(
        .refused(code: 401, message: "Token invalid"))

    /// Anything else, such as a bucket's name that is not valid.
    public static func failed(_ message: String = "Error validating token") -> Admission {
        .refused(.refused(code: 500, message: message))
    }

    /// Accepts all well-formed tokens; each token is a separate user.
    public static func ofAnyToken(_ request: InitRequest) -> Admission {
        let token = request.token ?? ""
        return .admitted(user: "\(token.prefix(8))@simperium.invalid", account: token)
    }
}
