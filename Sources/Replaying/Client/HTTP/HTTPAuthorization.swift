import Notation

/// The value of an `Authorization` field.
struct HTTPAuthorization {
    /// The scheme in lower case, such as `basic`.
    let scheme: String
    /// What follows it.
    let rest: String
    /// The user, where the scheme contains it.
    let user: String?

    init(_ value: String) {
        let text = HeaderText.trimmed(value[...])
        let name = text.prefix { $0 != " " }
        scheme = name.lowercased()
        let rest = HeaderText.trimmed(text[name.endIndex...])
        self.rest = rest
        switch scheme {
        case "basic":
            user = BasicCredentials(authorization: text)?.user
        case "digest":
            let pieces = rest.split(separator: ",").map { HeaderText.trimmed($0) }
            user = pieces.first { $0.lowercased().hasPrefix("username=") }.map {
                $0.dropFirst("username=".count).filter { $0 != "\"" }
            }
        case "apikey": user = rest.firstIndex(of: ":").map { String(rest[..<$0]) }
        default: user = nil
        }
    }
}
