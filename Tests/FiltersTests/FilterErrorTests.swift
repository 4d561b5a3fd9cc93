import Testing

@testable import Filters

struct FilterErrorTests {
    @Test(
        arguments: [
            ("statsu:200", .unknownField("statsu", nearest: ["status"]), 0..<6),
            ("a xyzzyplugh:1", .unknownField("xyzzyplugh", nearest: []), 2..<12),
            ("http://example", .unknownField("http", nearest: []), 0..<4),
            ("header:x", .missingHeaderName(.header), 0..<6),
            ("request.header.:x", .missingHeaderName(.requestHeader), 0..<15),
            ("has:statsu", .unknownField("statsu", nearest: ["status"]), 4..<10),
            ("has:", .missingValue(of: "has"), 3..<4),
            ("status:", .missingValue(of: "status"), 6..<7),
            ("status >= ", .missingValue(of: "status"), 7..<9),
            ("(status:)", .missingValue(of: "status"), 7..<8),
            ("path~\"\"", .missingValue(of: "path"), 5..<7),
            ("status:two", .notAValue(.status), 7..<10),
            ("status:4x", .notAValue(.status), 7..<9),
            ("status:2..x", .notAValue(.status), 10..<11),
            ("status:..", .notAValue(.status), 7..<9),
            ("status=4xx", .notAValue(.status), 7..<10),
            ("status:>x", .notAValue(.status), 8..<9),
            ("id:99999999999999999999", .outOfRange, 3..<23),
            ("status:500..400", .emptyRange, 7..<15),
            ("duration>200", .notAValue(.duration), 9..<12),
            ("duration>200 ms", .notAValue(.duration), 9..<12),
            ("duration>1.5ns", .outOfRange, 9..<14),
            ("at:300000d", .outOfRange, 3..<10),
            ("size:10k", .notAValue(.size), 5..<8),
            ("size:1.5", .outOfRange, 5..<8),
            ("local:maybe", .notAValue(.local), 6..<11),
            ("sender:clint", .notAValue(.sender), 7..<12),
            ("status~2", .operatorNotFor(.status, "~"), 6..<7),
            ("status =~ /2/", .operatorNotFor(.status, "=~"), 7..<9),
            ("host>a", .operatorNotFor(.host, ">"), 4..<5),
            ("body<a", .operatorNotFor(.body, "<"), 4..<5),
            ("text~a", .operatorNotFor(.text, "~"), 4..<5),
            ("local>0", .operatorNotFor(.local, ">"), 5..<6),
            ("path=~x", .missingRegex, 4..<6),
            ("path~/a(b/", .regex(.unclosedGroup), 7..<8),
            ("path~/\\/a**/", .regex(.nothingToRepeat), 10..<11),
            ("path=~\"a\\q\"", .regex(.badEscape), 8..<10),
            ("path~/a{1,9999}/", .regex(.badRepetition), 7..<15),
            ("path~/(\\w{1000}){9}/", .regex(.tooLarge), 6..<7),
            ("path~/(a)\\1/", .regex(.unsupported), 9..<11),
            ("path~/ab", .unclosedRegex, 5..<6),
            ("path~/ab/x", .unknownFlag("x"), 9..<10),
            ("(a", .unclosedParenthesis, 0..<1),
            ("a (b or (c)", .unclosedParenthesis, 2..<3),
            ("a)", .unexpected(")"), 1..<2),
            (")", .unexpected(")"), 0..<1),
            ("()", .missingOperand(after: "("), 0..<1),
            ("a and", .missingOperand(after: "and"), 2..<5),
            ("a or or b", .missingOperand(after: "or"), 2..<4),
            ("(a or )", .missingOperand(after: "or"), 3..<5),
            ("not", .missingOperand(after: "not"), 0..<3),
            ("and a", .missingOperandBefore("and"), 0..<3),
            ("|| a", .missingOperandBefore("||"), 0..<2),
            ("a | or b", .missingOperand(after: "|"), 2..<3),
            ("~m POST & ~u x", .mitmproxyOperator("~m", instead: "method:POST"), 0..<2),
            ("a & ~u restore", .mitmproxyOperator("~u", instead: "url~restore"), 4..<6),
            ("!(~q)", .mitmproxyOperator("~q", instead: "not has:status"), 2..<4),
            ("~d", .mitmproxyOperator("~d", instead: "host~VALUE"), 0..<2),
            ("~zz a", .unexpected("~"), 0..<1),
            ("at:2026-13-01", .notAWallClock, 3..<13),
            ("at:25:00", .notAWallClock, 3..<8),
            ("at:14:03..2026-11-21", .mixedWallClocks, 3..<20),
            ("at:15:00..14:00", .emptyRange, 3..<15),
            ("a ! b", .unexpected("!"), 2..<3),
            ("\"abc", .unclosedQuotation, 0..<1),
            ("path:\"a\\qb\"", .unknownEscape("q"), 7..<9),
            ("key:{a,b", .unclosedSet, 4..<5),
            ("key:{a b}", .missingSeparator(before: "b"), 7..<8),
            ("key:{a,}", .missingValue(of: "key"), 6..<7),
            ("key:{}", .missingValue(of: "key"), 4..<5),
            ("path:/a(b)", .missingSpace(before: "("), 7..<8),
            ("foo(b)", .missingSpace(before: "("), 3..<4),
            ("path:\"a\"b", .missingSpace(before: "b"), 8..<9),
            ("path:a\"b\"", .missingSpace(before: "\""), 6..<7),
            ("\"--\"", .noWords, 0..<4),
            ("fo*o", .starWithinWords, 0..<4),
            ("a\u{0}", .unexpected("\u{0}"), 1..<2),
            ("=5", .unexpected("="), 0..<1),
            ("12:30", .unknownField("12", nearest: []), 0..<2),
        ] as [(String, FilterError.Reason, Range<Int>)])
    func `points at`(text: String, reason: FilterError.Reason, range: Range<Int>) {
        do throws(FilterError) {
            let filter = try Filter.parse(text)
            Issue.record("\(text) was read as \(outline(filter.root))")
        } catch {
            #expect(error == FilterError(reason, range), "\(text)")
            #expect(!error.description.isEmpty)
        }
    }

    @Test(
        arguments: [
            (
                "host:a statsu:200",
                """
                there is no field "statsu"; did you mean status?
                  host:a statsu:200
                         ^^^^^^
                """
            ),
            (
                "sender:clint",
                """
                sender is one of client, server
                  sender:clint
                         ^^^^^
                """
            ),
            (
                "duration>200",
                """
                duration is a time with a unit: 200ms, 1.5s, 3m, 1h30m
                  duration>200
                           ^^^
                """
            ),
            (
                "a and\n\t(b or status:x)\nc",
                """
                status is a whole number, or 4xx
                  \t(b or status:x)
                  \t             ^
                """
            ),
            (
                "\"日本\" ba\u{301}r:1",
                """
                there is no field "ba\u{301}r"; quote it to search for these words
                  "日本" ba\u{301}r:1
                         ^^^
                """
            ),
            (
                "(a or b",
                """
                this parenthesis is not closed
                  (a or b
                  ^
                """
            ),
        ] as [(String, String)])
    func `draws marks under the mistake`(text: String, expected: String) {
        do throws(FilterError) {
            _ = try Filter.parse(text)
            Issue.record("no mistake in \(text)")
        } catch {
            #expect(error.report(in: text) == expected)
        }
    }

    @Test func `cuts long lines around the mistake`() {
        let text =
            String(repeating: "a ", count: 100) + "statsu:1" + String(repeating: " b", count: 100)
        do throws(FilterError) {
            _ = try Filter.parse(text)
            Issue.record("no mistake")
        } catch {
            let half = String(repeating: "a ", count: 20)
            let rest = ":1" + String(repeating: " b", count: 19)
            #expect(
                error.report(in: text) == """
                    there is no field "statsu"; did you mean status?
                      ...\(half)statsu\(rest)...
                         \(String(repeating: " ", count: 40))^^^^^^
                    """)
        }
    }

    @Test func `marks the end where the range is empty or outside`() {
        #expect(FilterError(.noWords, 2..<2).report(in: "ab").hasSuffix("  ab\n    ^"))
        #expect(FilterError(.noWords, 9..<12).report(in: "ab").hasSuffix("  ab\n    ^"))
        #expect(FilterError(.noWords, 0..<0).report(in: "").hasSuffix("\n  \n  ^"))
    }

    @Test(
        arguments: [
            ("status", "statsu", 1), ("", "abc", 3), ("abc", "abc", 0), ("kitten", "sitting", 3),
            ("path", "http", 3),
        ] as [(String, String, Int)])
    func `counts edits`(a: String, b: String, expected: Int) {
        #expect(NearestNames.distance(Array(a.utf8), Array(b.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("status:200", .requestHead, .notKnown(field: .status, phase: .requestHead), 0..<6),
            (
                "host:a request.body:x", .requestHead,
                .notKnown(field: .requestBody, phase: .requestHead), 7..<19
            ),
            (
                "host:a bucket:b", .responseBody, .notKnown(field: .bucket, phase: .responseBody),
                7..<13
            ),
            ("host:a", .command, .notKnown(field: .host, phase: .command), 0..<4),
            ("foo", .requestHead, .notKnown(field: .text, phase: .requestHead), 0..<3),
            ("header.x:1", .requestHead, .notKnown(field: .header, phase: .requestHead), 0..<8),
            ("channel:1", .message, .notKnown(field: .channel, phase: .message), 0..<7),
        ] as [(String, FilterPhase, FilterError.Reason, Range<Int>)])
    func `refuses what is not known yet`(
        text: String, phase: FilterPhase, reason: FilterError.Reason, range: Range<Int>
    ) throws {
        let filter = try Filter.parse(text)
        #expect(throws: FilterError(reason, range)) { try filter.validate(for: phase) }
    }

    @Test(
        arguments: [
            ("connection:1 kind:exchange", .connection),
            ("host:a request.header.x:1 method:post", .requestHead),
            ("request.body:a request.size>1", .requestBody),
            ("status:4xx response.header.x:1 header.y:2", .responseHead),
            ("body:a duration>1s foo", .responseBody),
            ("bucket:b sender:client key:a payload:x foo", .command),
            ("opcode:text sender:client size>1", .message),
        ] as [(String, FilterPhase)])
    func `accepts what is known`(text: String, phase: FilterPhase) throws {
        try Filter.parse(text).validate(for: phase)
    }
}
