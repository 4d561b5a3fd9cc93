import Filters

/// Hints for filters that no row fits.
enum EmptyResult {
    /// What may have been meant by a filter with words in it that were searched for; nil without any.
    ///
    /// - Parameters:
    ///   - text: The filter as it was written.
    ///   - filter: The same, parsed.
    /// - Returns: A line for the user.
    static func hint(_ text: String, _ filter: Filter) -> String? {
        let scalars = Array(text.unicodeScalars)
        let words = filter.mentions.compactMap { mention -> String? in
            guard mention.field == .text, mention.range.upperBound <= scalars.count else {
                return nil
            }
            var word = String.UnicodeScalarView()
            word.append(contentsOf: scalars[mention.range])
            let written = String(word)
            return written.hasPrefix("\"") || written.lowercased() == "text" ? nil : written
        }
        guard !words.isEmpty else { return nil }
        let list = ListedWords.joined(words.map { "'\($0)'" })
        let verb = words.count == 1 ? "was" : "were"
        let noun = words.count == 1 ? "as a word" : "as words"
        var hint = "no row fits; \(list) \(verb) searched for \(noun) in the content"
        let field = words.first { Field(rawValue: $0.lowercased()) != nil }
        hint += "; a field is compared as in \(field?.lowercased() ?? "url")~restore or status:404"
        return hint
    }
}

/// Lists of words in a sentence.
enum ListedWords {
    /// `a, b and c`.
    static func joined(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}
