import Replaying
import Testing

struct DifferenceTests {
    private func lines(_ a: String, _ b: String, type: String? = nil) -> [String] {
        AnswerComparison.differences(
            recorded: (200, message(a, type)), live: (200, message(b, type))
        ).items.map(\.description)
    }

    private func message(_ text: String, _ type: String?) -> ReplayMessage {
        ReplayMessage(
            fields: type.map { [.init("Content-Type", $0)] } ?? [], body: bytes(text))
    }

    @Test(arguments: [
        (
            #"{"a":{"b/c":[1,2,3]}}"#, #"{"a":{"b/c":[1,9,3]}}"#,
            ["JSON /a/b~1c/1: recorded 2, received 9"]
        ),
        (#"[1,2,3]"#, #"[1,3]"#, ["JSON /1: recorded 2, not received"]),
        (#"[1,3]"#, #"[1,2,3]"#, ["JSON /1: not recorded, received 2"]),
        (#"[0,1,2,3]"#, #"[0,2,1,3]"#, ["order of the elements: recorded [1,2], received [2,1]"]),
        (
            #"{"a":1}"#, #"{"b":1}"#,
            ["JSON /a: recorded 1, not received", "JSON /b: not recorded, received 1"]
        ),
        ("{}", "[]", ["JSON value: recorded {}, received []"]),
        (
            "<a><b>1</b><b>2</b></a>", "<a><b>1</b><b>3</b></a>",
            ["XML /a/b[2]/text(): recorded \"2\", received \"3\""]
        ),
        ("<a><b/><c/></a>", "<a><c/></a>", ["XML /a/b[1]: recorded <b/>, not received"]),
        ("<a><c/></a>", "<a><b>x</b><c/></a>", ["XML /a/b[1]: not recorded, received <b>x"]),
        (
            "<a x='1'/>", "<a x='2' y='3'/>",
            [
                "XML /a/@x: recorded \"1\", received \"2\"",
                "XML /a/@y: not recorded, received \"3\"",
            ]
        ),
        ("<a/>", "<b/>", ["XML /: recorded <a>, received <b>"]),
        ("<a/>", "{}", ["body: recorded XML, <a>, received JSON, {}"]),
        ("", "ab", ["body: recorded no body, received 2 bytes"]),
        ("abcd", "abXd", ["byte 2: recorded \"cd\" (of 4 bytes), received \"Xd\" (of 4 bytes)"]),
        ("ab\u{1}", "ab\u{2}", ["byte 2: recorded 01 (of 3 bytes), received 02 (of 3 bytes)"]),
        (#"{"a":"x\ny"}"#, #"{"a":"x\tz"}"#, [#"JSON /a: recorded "x\ny", received "x\tz""#]),
    ])
    func `says where`(a: String, b: String, expected: [String]) {
        #expect(lines(a, b) == expected)
    }

    @Test func `says in which part`() {
        let type = "multipart/form-data; boundary=b"
        func body(_ names: [String], _ text: String) -> String {
            names.map {
                "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n{\"v\":\"\(text)\"}\r\n"
            }.joined() + "--b--"
        }
        #expect(
            lines(body(["x", "y"], "1"), body(["x", "y"], "2"), type: type) == [
                "part 0, JSON /v: recorded \"1\", received \"2\"",
                "part 1, JSON /v: recorded \"1\", received \"2\"",
            ])
        #expect(
            lines(body(["x", "y"], "1"), body(["y", "x"], "1"), type: type) == [
                "order of the parts: recorded x, y, received y, x"
            ])
        #expect(
            lines(body(["x", "y"], "1"), body(["x"], "1"), type: type) == [
                "part 1, part: recorded y, not received"
            ])
    }

    @Test func `status and header fields, without what belongs to the transfer`() {
        let recorded = ReplayMessage(fields: [
            .init("Date", "yesterday"), .init("Retry-After", "5"), .init("X-A", "1"),
        ])
        let live = ReplayMessage(fields: [
            .init("x-a", "2"), .init("date", "today"), .init("Content-Length", "0"),
        ])
        let found = AnswerComparison.differences(
            recorded: (202, recorded), live: (nil, live))
        #expect(
            found.items.map(\.description) == [
                "status: recorded 202, received no response",
                "header retry-after: recorded \"5\", not received",
                "header x-a: recorded \"1\", received \"2\"",
            ])
    }

    @Test func `the boundary of an answer is its own`() {
        let a = ReplayMessage(fields: [.init("Content-Type", "multipart/mixed; boundary=a")])
        let b = ReplayMessage(fields: [.init("Content-Type", "multipart/mixed; boundary=b")])
        #expect(AnswerComparison.differences(recorded: (200, a), live: (200, b)).isEmpty)
    }

    @Test func `number and length are bounded`() {
        let a = "[" + (0..<500).map { "\"a\($0)\"" }.joined(separator: ",") + "]"
        let b = "[" + (0..<500).map { "\"b\($0)\"" }.joined(separator: ",") + "]"
        let found = AnswerComparison.differences(
            recorded: (200, message(a, nil)), live: (200, message(b, nil)), limit: 7)
        #expect(found.items.count == 7)
        #expect(found.isCut)
        let long = String(repeating: "x", count: 5_000)
        let line = lines("[\"\(long)1\"]", "[\"\(long)2\"]")[0]
        #expect(line.utf8.count < 300)
        #expect(line.contains("x1\"") && line.contains("x2\""))
    }
}
