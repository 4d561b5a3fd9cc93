import Notation

/// What makes two requests with the same method, host and path the same request.
///
/// A class, since it is kept and passed on for each request that is the same, and has many parts.
final class RequestKey: Sendable {
    let query: [FormField]
    let fields: [FormField]
    let meaning: Meaning
    let digest: Int
    /// Identifiers of the cases that it makes, which are not part of it.
    let made: [String]
    /// Identifiers of the cases that it closes.
    let closed: [String]

    init(query: String?, message: ReplayMessage, rules: HTTPReplay.Rules) {
        let leftOut = rules.leftOut
        self.query = query.map { FormField.kept(FormField.parse($0.utf8), leftOut) } ?? []
        fields = rules.headers.compactMap { name in
            guard !leftOut.leavesOut(header: name), let value = message.value(name) else {
                return nil
            }
            if rules.maskedHeaders.contains(name) { return FormField(name, LeftOut.mark) }
            return FormField(name, name == "content-type" ? HeaderText.mediaType(value) : value)
        }
        let numbered = NumberedCases(message.meaning(without: leftOut))
        meaning = numbered.meaning
        made = numbered.made
        closed = numbered.closed
        var hasher = Hasher()
        hasher.combine(self.query)
        hasher.combine(fields)
        meaning.hash(into: &hasher)
        digest = hasher.finalize()
    }

    func isSame(as other: RequestKey) -> Bool {
        query == other.query && fields == other.fields && meaning.isSame(as: other.meaning)
    }

    /// Adds where `live` differs.
    func compare(to live: RequestKey, into found: inout Differences) {
        let scope = Difference.Scope()
        found.compare(query, live.query, .query, in: scope)
        found.compare(fields, live.fields, .header, in: scope)
        found.compare(meaning, live.meaning, in: scope)
    }
}
