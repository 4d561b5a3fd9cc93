internal import Filters

extension Harness {
    static let filters: [Harness] = [filter, regex, search]

    /// Parses a filter, compiles it and asks it about something.
    private static let filter = Harness(name: "filter") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let filter: Filter
        do throws(FilterError) {
            filter = try Filter.parse(text)
        } catch {
            let count = text.unicodeScalars.count
            demand(
                error.range.lowerBound >= 0 && error.range.upperBound <= count,
                "\(error) is inside the text")
            _ = error.report(in: text)
            return
        }
        let again = try? Filter.parse(text)
        demand(filter == again, "parsed twice it is the same")
        for mention in filter.mentions {
            demand(
                mention.range.upperBound <= text.unicodeScalars.count,
                "mentions are inside the text")
        }
        for subject in FilterSubject.allCases {
            _ = filter.sql(for: subject)
            _ = filter.matches(Subject(subject: subject, bytes: bytes))
        }
        for phase in FilterPhase.allCases { _ = try? filter.validate(for: phase) }
    }

    /// Has a value of each kind for every field.
    private struct Subject: FilterSubjectValues {
        let subject: FilterSubject
        let bytes: [UInt8]

        func value(of field: Field, name: String?) -> FilterValue? {
            .several([
                .integer(Int64(bytes.count)), .text(String(decoding: bytes, as: UTF8.self)),
                .bytes(bytes),
            ])
        }
    }

    /// Compiles the first line and searches the rest for it.
    private static let regex = Harness(name: "regex") { bytes in
        let lines = Input.lines(bytes, most: 2)
        let pattern = String(decoding: lines[0], as: UTF8.self)
        let text = lines.count > 1 ? lines[1] : []
        let regex: LinearRegex
        do throws(RegexError) {
            regex = try LinearRegex(pattern)
        } catch {
            demand(
                error.range.lowerBound >= 0
                    && error.range.upperBound <= pattern.unicodeScalars.count,
                "\(error) is inside the pattern")
            return
        }
        text.withUnsafeBytes { text in
            let found = regex.matches(text)
            var matcher = RegexMatcher(regex)
            demand(matcher.matches(text) == found, "the first time it finds the same")
            demand(matcher.matches(text) == found, "what is remembered changes nothing")
            guard let folded = try? LinearRegex(pattern, caseInsensitive: true), found,
                !pattern.contains("^]"), !pattern.contains("[^"), !pattern.contains("\\"),
                !pattern.contains("$"), !pattern.contains("^")
            else { return }
            demand(folded.matches(text), "without regard to case no less is found")
        }
    }

    /// Searches the second line for the first in every way there is.
    private static let search = Harness(name: "search") { bytes in
        let lines = Input.lines(bytes, most: 2)
        let needle = String(decoding: lines[0], as: UTF8.self)
        let text = lines.count > 1 ? lines[1] : []
        let lowercased = ByteSearch.lowercased(needle)
        text.withUnsafeBytes { value in
            demand(
                ByteSearch.contains(value, lowercasedNeedle: lowercased)
                    == contains(text.map(lowercase), lowercased),
                "the fast search finds what the slow one does")
            let glob = Glob(pattern: needle)
            demand(Glob(pattern: glob.pattern) == glob, "a pattern written again is the same")
            if glob.matches(value, ignoringCase: false) {
                demand(glob.matches(value, ignoringCase: true), "less is asked without case")
            }
            _ = (glob.sqliteGlob, glob.sqliteLike)
            if let query = WordQuery(matchExpression: needle) {
                _ = query.matches(value)
                let again = WordQuery(matchExpression: query.matchExpression)
                demand(again == query, "a query written again is the same")
            }
            _ = HeadFields.value(of: needle.lowercased(), in: value)
        }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// Whether `text` contains `needle`, without any cleverness.
    private static func contains(_ text: [UInt8], _ needle: [UInt8]) -> Bool {
        guard text.count >= needle.count else { return false }
        return (0...text.count - needle.count).contains { start in
            text[start..<start + needle.count].elementsEqual(needle)
        }
    }
}
