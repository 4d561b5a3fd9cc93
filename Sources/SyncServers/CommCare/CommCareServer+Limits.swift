import Serving

extension CommCareServer {
    /// Refuses a request where a minute had too many: all together with 503, of one user with 429.
    ///
    /// Source: OpenRosa/Specification.md#rate-limits; `Retry-After` is what clients may go by.
    ///
    /// - Parameters:
    ///   - kind: What is sent too often, in the plural; nil for everything.
    ///   - most: The maximum number per minute; nil for no limit.
    ///   - user: The sender; nil for all users.
    ///   - now: Seconds since 1970.
    /// - Returns: The refusal; nil where the request may be answered.
    mutating func overload(
        _ kind: String? = nil, most: Int?, of user: Accounts.User? = nil, _ now: Int64
    ) -> ServedAnswer? {
        let sender = kind.map { "\($0) \(user?.uuid ?? "")" } ?? "all"
        guard let wait = meter.wait(sender, most: most, now: now) else { return nil }
        guard let kind else {
            return .busy("The server is over capacity; try again in \(wait) s", retryAfter: wait)
        }
        var answer = ServedAnswer.text(
            429, "Too many \(kind) in this minute; try again in \(wait) s")
        answer.fields.append(.init("Retry-After", String(wait)))
        return answer
    }
}
