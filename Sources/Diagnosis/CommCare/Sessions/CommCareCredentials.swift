import Notation

/// The user that the `Authorization` of a request names; secrets are compared by a digest and not
/// kept.
struct CommCareCredentials: Hashable, Sendable {
    /// The name without project, in lower case; nil where the scheme names none.
    let user: String?
    /// A digest of the whole value.
    let digest: CommCareDigest

    init?(_ value: String?) {
        guard let value else { return nil }
        digest = CommCareDigest(Array(value.utf8))
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else {
            user = nil
            return
        }
        switch parts[0].lowercased() {
        case "basic":
            user = BasicCredentials(authorization: value).map { Self.name($0.user) }
        case "digest":
            guard let range = parts[1].firstRange(of: "username=\"") else {
                user = nil
                return
            }
            user = Self.name(parts[1][range.upperBound...].prefix { $0 != "\"" })
        default: user = nil
        }
    }

    /// `anna@demo.commcarehq.org` and `anna` are the same user.
    static func name(_ text: some StringProtocol) -> String {
        String(text.prefix { $0 != "@" }).lowercased()
    }
}
