import Faults
import Filters
import Notation
import Testing

struct PlanRefusalTests {
    @Test(
        arguments: [
            // The line, what is wrong, and the characters that are.
            ("statsu:200 => 503", "there is no field \"statsu\"; did you mean status?", "statsu"),
            ("path:/a => eror 440", "there is no action \"eror\"; did you mean error?", "eror"),
            ("path:/a => dorp", "there is no action \"dorp\"; did you mean drop?", "dorp"),
            ("path:/a", "=> is missing between filter and action, with a space before it", ""),
            (
                "path:/a=> 503", "=> is missing between filter and action, with a space before it",
                ""
            ),
            ("path:/a =>", "an action is missing after =>, such as 503 or drop", "=>"),
            ("path:/a => first=3", "an action is missing after =>, such as 503 or drop", "first"),
            (
                "path:/a => status",
                "status needs \"code\", as in: "
                    + "api:commcare.restore => status 503 retry-after=30 first=3", "status"
            ),
            (
                "path:/a => 503 retry-afer=3",
                "status has no \"retry-afer\"; did you mean retry-after?",
                "retry-afer"
            ),
            ("path:/a => 503 frist=3", "status has no \"frist\"; did you mean first?", "frist"),
            ("path:/a => 99", "code is a whole number in 100...999", "99"),
            ("command:c => error x", "code is a whole number in -1000000...1000000", "x"),
            ("command:c => error 440 as=text", "as is integer or string", "text"),
            (
                "path:/a => latency 300",
                "by is a time with its unit, such as 300ms or 1m30s in 0s...24h",
                "300"
            ),
            (
                "path:/a => truncate -1",
                "at is a number of bytes, such as 512 or 10KiB, at least 0", "-1"
            ),
            ("path:/a => 202 progress=10", "progress is done/total, such as 10/100", "10"),
            (
                "path:/a => 200 header=x", "header is a header field, such as \"Retry-After: 5\"",
                "x"
            ),
            ("path:/a => 503 forwarded=maybe", "forwarded is true or false", "maybe"),
            (
                "path:/a => drop now",
                "drop takes no \"now\" here; a value with spaces has to be quoted",
                "now"
            ),
            (
                "path:/a => 503 retry-after=1 retry-after=2", "\"retry-after\" is given twice",
                "retry-after"
            ),
            ("path:/a => 503 first=1 first=2", "\"first\" is given twice", "first"),
            ("path:/a => 503 name=a name=b", "\"name\" is given twice", "name"),
            (
                "path:/a => 503 name=\"\"",
                "a name has 1 to 100 characters, and no control characters", ""
            ),
            ("path:/a => 503 body=a body-file=b", "body and body-file exclude each other", "503"),
            ("path:/a => 503 body=\"a", "this quotation is not closed", "\""),
            ("path:/a => 503 body=\"a\"b", "a space has to follow a quotation", "b"),
            (
                "path:/a => 503 body=\"\\a\"",
                "\\a is not an escape; the escapes are \\\" \\\\ \\n \\r \\t", "\\a"
            ),
            ("path:/a => 503 first=0", "first is a whole number of at least 1", "0"),
            ("path:/a => 503 every=x", "every is a whole number of at least 1", "x"),
            ("path:/a => 503 nth=0", "nth is a whole number of at least 1, or several: 1,4,7", "0"),
            (
                "path:/a => 503 nth=1,,2", "nth is a whole number of at least 1, or several: 1,4,7",
                "1,,2"
            ),
            (
                "path:/a => 503 probability=1.5",
                "probability is a number above 0 and at most 1, or a percentage", "1.5"
            ),
            (
                "path:/a => 503 probability=0",
                "probability is a number above 0 and at most 1, or a percentage", "0"
            ),
            (
                "path:/a => 503 probability=nan",
                "probability is a number above 0 and at most 1, or a percentage", "nan"
            ),
            ("path:/a => 503 from=20s to=10s", "the schedule ends before it begins", "10s"),
            ("path:/a => 503 from=10s to=10s", "the schedule ends before it begins", "10s"),
            ("path:/a => 503 to=0", "the schedule ends when it begins", "0"),
            (
                "path:/a => 503 from=10", "from is a time with its unit, such as 300ms or 1m30s",
                "10"
            ),
            (
                "path:/a => 503 after-mark=a before-mark=a",
                "the schedule ends with the mark it begins with", "a"
            ),
            ("path:/a => 503 first=2 every=3", "every 3th never comes among the first 2", "3"),
            ("path:/a => 503 first=2 nth=3", "number 3 is not among the first 2", "3"),
            ("path:/a => 503 every=2 nth=1,3", "none of these is a multiple of 2", "1,3"),
            ("path:/a => 503 per=device", "per is connection, client, key or overall", "device"),
            ("path:/a => 503 always first=2", "always excludes all other conditions", "always"),
            (
                "path:/a => 503 until='statsu:2'",
                "there is no field \"statsu\"; did you mean status?", "statsu"
            ),
            ("path:/a => 503 until='status:2 key:a'", "exchanges have no key", "key"),
            (
                "path:/a => drop after=2s",
                "after: what is dropped is never sent; only the end of the connection can be "
                    + "delayed, "
                    + "with close", "2s"
            ),
            (
                "path:/a => lose-answer how=stall after=1s first=2",
                "after: with how=stall the answer is never sent, so it cannot be delayed", "1s"
            ),
            (
                "command:c => reorder after=1s",
                "after: reorder waits for the next message, and cannot be delayed further", "1s"
            ),
            (
                "host:a => tls-failure after=3m",
                "after: tls-failure is carried out when the connection or its TLS begins, and "
                    + "cannot be delayed",
                "3m"
            ),
            // What cannot hold.
            (
                "status:200 status:503 => close", "two conditions on status exclude each other",
                "status:503"
            ),
            (
                "status:5xx status:<400 => close", "two conditions on status exclude each other",
                "status:<400"
            ),
            (
                "method:GET path:/a method:POST => 503",
                "two conditions on method exclude each other",
                "method:POST"
            ),
            (
                "path:/a method:GET not method:get => 503",
                "two conditions on method exclude each other", "method:get"
            ),
            (
                "host:a.example host:*.org => 503", "two conditions on host exclude each other",
                "host:*.org"
            ),
            (
                "bucket:a (bucket:b or bucket:c) => drop",
                "two conditions on bucket exclude each other", "bucket:c"
            ),
            (
                "command:{cv,init} command:{c,e} => drop",
                "two conditions on command exclude each other", "command:{c,e}"
            ),
            (
                "status:{200,404} status:{500,503} => close",
                "two conditions on status exclude each other", "status:{500,503}"
            ),
            ("size:10..5 => close", "this range ends before it begins", "10..5"),
            // What is not known then.
            (
                "status:200 => 503",
                "status is not known when the request is complete, only when the response head is complete",
                "status"
            ),
            ("command:c => 503", "exchanges have no command", "command"),
            ("path:/a => error 440", "path is not known for a command", "path"),
            (
                "path:/a => tls-failure",
                "path is not known when a client starts TLS, only when the request head is complete",
                "path"
            ),
            (
                "opcode:ping => reorder first=1 key:a",
                "reorder takes no \"key:a\" here; a value with spaces has to be quoted", "key:a"
            ),
            (
                "kind:command => 503",
                "this filter matches nothing that status can be done to; it is for exchanges",
                "kind:command"
            ),
            (
                "command:c sender:server => error 440",
                "this filter matches nothing that error can be done to; it is for commands with "
                    + "command:c sender:client", "command:c sender:server"
            ),
            (
                "=> blackout", "blackout has to end: give for=10s, or to=20s in the schedule",
                "blackout"
            ),
        ] as [(String, String, String)])
    func `refuses a rule of one line`(line: String, words: String, marked: String) {
        let error = #expect(throws: FaultPlanError.self) { try FaultRule.parse(line) }
        guard let error else { return }
        #expect(error.description == words)
        let scalars = Array(error.place.text.unicodeScalars)
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[error.place.range])
        // What stands behind an arrow is a part of the text of the filter with a space.
        #expect(String(view).trimmed == marked)
        #expect(error.place.column == error.place.range.lowerBound + 1)
    }

    @Test func `accepts what only seems to exclude each other`() throws {
        for filter in [
            "status:200 or status:503", "header.a:1 header.a:2", "key:a key:b",
            "status:4xx status:404",
            "method:GET method:get", "note:a note:b", "not status:200 not status:503",
            "host:a.example host:*.example", "status:{200,404} status:{404,500}",
            "not (status:200 method:GET) status:200", "path:/a* path:*b",
            "not has:status method:GET", "command:init command:cv",
            "command:i* command:i command:init",
        ] {
            #expect(throws: Never.self, "\(filter)") { try FaultRule.parse("\(filter) => close") }
        }
    }

    @Test(
        arguments: [
            ("rules:\n  - filter: path:/a\n    action: eror 440", 3, 13, "action \"eror\""),
            ("rules:\n  - filter: path:/a statsu:1\n    action: drop", 2, 21, "field \"statsu\""),
            (
                "rules:\n  - filter: \"path:/a statsu:1\"\n    action: drop", 2, 22,
                "field \"statsu\""
            ),
            ("rules:\n  - filter: 'path:/a statsu:1'\n    action: drop", 2, 22, "field \"statsu\""),
            ("rules:\n  - filtr: a\n    action: drop", 2, 5, "did you mean filter?"),
            ("rule:\n  - => drop", 1, 1, "did you mean rules?"),
            ("rules:\n  - filter: a", 2, 5, "a rule needs \"action\""),
            ("rules:\n  - action: drop", 2, 5, "a rule needs \"filter\""),
            ("rules: x", 1, 8, "a list of rules"),
            ("- a", 1, 1, "the plan: keys with values"),
            ("rules:\n  - filter: a\n    action: {code: 3}", 3, 13, "an action needs \"kind\""),
            ("rules:\n  - filter: a\n    action: {kind: error, code: [1, x]}", 3, 37, "code is"),
            ("rules:\n  - filter: ''\n    action: drop\n    schedule: {frist: 3}", 4, 16, "first"),
            (
                "rules:\n  - filter: ''\n    action: drop\n    schedule: {first: {}}", 4, 23,
                "a value"
            ),
            ("rules:\n  - => drop name=a\n  - => drop name=a", 3, 18, "already"),
            ("seed: -1", 1, 7, "seed is a whole number"),
            ("rules: [", 1, 9, "not YAML"),
            ("seed: 1\nseed: 2", 1, 1, "twice"),
            ("rules:\n\t- a", 2, 1, "not YAML"),
            ("rules:\n  - => drop\n  - - a", 3, 5, "a rule: keys with values"),
        ] as [(String, Int, Int, String)])
    func `points at the place in YAML`(
        text: String, line: Int, column: Int, words: String
    ) {
        let error = #expect(throws: FaultPlanError.self) { try FaultPlan.parse(yaml: text) }
        guard let error else { return }
        #expect(error.description.contains(words), "\(error.description)")
        #expect([error.place.line, error.place.column] == [line, column])
    }

    @Test func `reports with the line and marks`() {
        let text = "rules:\n  - filter: path:/a\n    action: eror 440\n"
        let error = #expect(throws: FaultPlanError.self) { try FaultPlan.parse(yaml: text) }
        #expect(
            error?.report(file: "plan.yaml") == """
                plan.yaml:3:13: there is no action "eror"; did you mean error?
                      action: eror 440
                              ^^^^
                """)
    }

    @Test func `shows the value where it is spread over lines`() {
        let text = "rules:\n  - filter: >-\n      path:/a\n      statsu:3\n    action: drop\n"
        let error = #expect(throws: FaultPlanError.self) { try FaultPlan.parse(yaml: text) }
        #expect(
            error?.report(file: "p") == """
                p:2:13: there is no field "statsu"; did you mean status?
                  path:/a statsu:3
                          ^^^^^^
                """)
    }

    @Test func `refuses what is nested or repeated without end`() {
        let nested = "rules: " + String(repeating: "[", count: 100_000)
        #expect(throws: FaultPlanError.self) { try FaultPlan.parse(yaml: nested) }
        let long = "rules: [" + String(repeating: "a, ", count: 2_000_000) + "]"
        #expect(throws: FaultPlanError.self) { try FaultPlan.parse(yaml: long) }
        let many = "rules: [" + String(repeating: "=> drop, ", count: 10_001) + "]"
        let error = #expect(throws: FaultPlanError.self) { try FaultPlan.parse(yaml: many) }
        #expect(error?.reason == .tooManyRules)
        let laughs = """
            a: &a [x, x, x, x, x, x, x, x, x]
            b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
            c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
            d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
            e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
            f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]
            g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]
            """
        #expect(throws: FaultPlanError.self) { try FaultPlan.parse(yaml: laughs) }
    }

    @Test func `reads any text without trapping`() {
        var draws = SplitMix64(seed: 5)
        let pieces = [
            "=>", " ", "status", "error", "first=", "503", "\"", "'", "\\", "until=", "name=", ":",
            "command:c", "nth=1,", "{", "}", "[", "\n", "- ", "é", "\u{0}", "rules:", "a: ", "0.5",
            "=",
        ]
        for _ in 0..<3000 {
            let count = Int.random(in: 0..<12, using: &draws)
            let text = (0..<count).map { _ in pieces.randomElement(using: &draws) ?? "" }.joined()
            do throws(FaultPlanError) {
                let rule = try FaultRule.parse(text)
                #expect((try? FaultRule.parse("\(rule)")) == rule, "\(text)")
            } catch {
                #expect(!error.report().isEmpty)
            }
            do throws(FaultPlanError) {
                _ = try FaultPlan.parse(yaml: text)
            } catch {
                #expect(!error.report(file: "a").isEmpty)
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
