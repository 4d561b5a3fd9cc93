import Notation
import Testing

@testable import Filters

struct FilterClickHouseTests {
    private func sql(_ text: String, _ subject: FilterSubject = .exchange) throws -> String {
        try Filter.parse(text).clickHouse(for: subject).text
    }

    @Test(
        arguments: [
            ("", "1"), ("status:200", "ifNull(status = 200, 0)"),
            ("status:4xx", "ifNull((status >= 400 AND status <= 499), 0)"),
            ("has:status", "isNotNull(status)"),
            ("not status:200", "NOT (ifNull(status = 200, 0))"),
            ("method:get", "lower(method) = 'get'"), ("path:/a/*", "startsWith(path, '/a/')"),
            ("path:/a'\\\\b", "path = '/a\\'\\\\b'"),
            ("path~Sync", "positionCaseInsensitive(path, 'sync') > 0"),
            (
                "path~/S.c/",
                "match(path, '(?:S[\\\\x{0}-\\\\x{9}\\\\x{B}-\\\\x{D7FF}\\\\x{E000}-\\\\x{10FFFF}]c)')"
            ),
            ("bucket:notes", "0"), ("not bucket:notes", "1"), ("bucket:notes or id:1", "id = 1"),
            (
                "label.App:3.2",
                "(has(label.name, 'app') AND arrayStringConcat(arrayFilter((v, n) -> n = 'app', "
                    + "label.value, label.name), ', ') = '3.2')"
            ),
            ("recorder:3f*", "startsWith(recorder, '3f')"),
            (
                "note:a",
                "(recorder, id) IN (SELECT recorder, assumeNotNull(exchange_id) FROM note "
                    + "WHERE isNotNull(exchange_id) AND code = 'a')"
            ),
            (
                "\"to Bé\"",
                "((isNotNull(request_content) AND position(request_words, ' to be ') > 0) OR "
                    + "(isNotNull(response_content) AND position(response_words, ' to be ') > 0))"
            ),
            (
                "at:1970-01-02T00:00:00Z",
                "(day >= toDate(1) AND day <= toDate(1) AND (at_unix_ns >= 86400000000000 AND "
                    + "at_unix_ns <= 86400999999999))"
            ),
        ]) func `asks exchanges`(text: String, condition: String) throws
    {
        #expect(try sql(text) == condition)
    }

    @Test func `a clock that changes is ahead by what it was at that time`() {
        let clock = ClockOffsets([
            .init(from: 0, ahead: 3_600), .init(from: 1_000, ahead: 7_200),
            .init(from: 2_000, ahead: 3_600),
        ])
        let second: Int64 = 1_000_000_000
        // 8,300 s were shown at 1,100 s and again at 4,700 s.
        #expect(
            clock.utc(of: 8_300 * second...8_300 * second)
                == [1_100 * second...1_100 * second, 4_700 * second...4_700 * second])
        #expect(clock.utc(of: Int64.min...4_000 * second) == [Int64.min...400 * second])
        // The hour that was skipped was shown at no time.
        #expect(
            clock.utc(of: 4_500 * second...8_200 * second - 1)
                == [900 * second...1_000 * second - 1, 2_000 * second...4_600 * second - 1])
        #expect(
            ClockOffsets([.init(from: 0, ahead: 60), .init(from: 9, ahead: 60)]).pieces.count == 1)
        #expect(ClockOffsets().ahead(at: "x") == "0")
        #expect(
            clock.ahead(at: "x")
                == "arrayElement([3600,7200,3600], arrayCount(t -> t <= x, [1000,2000]) + 1)")
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `folded words have what a query of words finds`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let words = ["To", "be", "Größe", "e\u{301}", "42", "a1", "ſ", "日本", "İ", "_", "--", "bee"]
        func text(_ count: Int) -> String {
            (0..<count).map { _ in
                (words.randomElement(using: &random) ?? "")
                    + ([" ", ", ", "\n", "", "."].randomElement(using: &random) ?? "")
            }.joined()
        }
        let content = Array(text(Int.random(in: 0...9, using: &random)).utf8)
        for _ in 0..<5 {
            let isPrefix = Bool.random(using: &random)
            guard
                let query = WordQuery(
                    text(Int.random(in: 1...2, using: &random)), isPrefix: isPrefix)
            else { continue }
            let folded = content.withUnsafeBytes { WordQuery.folded($0) }
            let isThere = folded.firstRange(of: Array(query.folded.utf8)) != nil
            #expect(content.withUnsafeBytes { query.matches($0) } == isThere, "\(query)")
        }
    }
}
