/// The payload of `auth`.
///
/// After anything but ``accepted(_:)`` the channel is closed until another `init`. Source:
/// Simperium/Specification.md#init.
public enum AuthReply: Hashable, Sendable {
    /// The bucket is open; the text is the user's address or name.
    case accepted(String)
    /// The bucket stays closed: 400 malformed token, 401 invalid token, 500 anything else.
    case refused(code: Int?, message: String?)
    /// The bucket stays closed, in the form of before API version 1.1; a refusal follows.
    case expired
}
