/// Rules of CommCare and OpenRosa that need more than one message.
enum CommCareSessionRules {
    /// All of them.
    static let all: [Rule] = tokens + recovery + polling + forms + cases + retries + openRosa
}
