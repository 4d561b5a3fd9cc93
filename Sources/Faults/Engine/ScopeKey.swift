import Notation

/// The scope of one rule that events are counted in.
struct ScopeKey: Hashable {
    /// Longest value that is kept as it is, in bytes.
    static let maximumLength = 200

    /// Number of the rule within its session.
    let rule: Int
    /// The value, at most ``maximumLength`` bytes and a digest.
    let value: String

    /// The scope `value` of a rule, truncated where it is long: a peer may choose it.
    init(rule: Int, _ value: String) {
        self.rule = rule
        self.value = Self.bounded(value)
    }

    /// `value`, or its beginning and a digest of all of it where it is long.
    static func bounded(_ value: String) -> String {
        guard value.utf8.count > maximumLength else { return value }
        var beginning = value.utf8.prefix(maximumLength)
        while let last = beginning.last, last & 0xC0 == 0x80 { beginning.removeLast() }
        if let last = beginning.last, last >= 0xC0 { beginning.removeLast() }
        return String(decoding: beginning, as: UTF8.self) + "#"
            + String(FNV1a.hash(value.utf8), radix: 16)
    }
}
