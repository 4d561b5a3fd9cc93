import Notation
import Testing
import Wire

@testable import Faults

/// Changes of Simperium objects as texts with the object after them, and back.
struct EditableChangeTests {
    private static let command = Array(
        "0:c:{\"id\":\"k\",\"v\":{\"t\":{\"o\":\"r\",\"v\":\"new\"}},\"o\":\"M\",\"sv\":3,\"ccid\":\"x\"}"
            .utf8)
    private static let base = JSONValue.object(
        JSONObject([.init("t", .string("old")), .init("n", .number("1"))]))

    private static func change() throws -> EditableChange {
        try #require(EditableChange(command, from: .client, base: base))
    }

    @Test func `the object after it`() throws {
        let change = try Self.change()
        #expect(
            change.text == """
                # content: object (what is sent is the change that makes it)
                0:c:{"id":"k","o":"M","sv":3,"ccid":"x"}

                {
                  "t": "new",
                  "n": 1
                }

                """)
        #expect(try change.command(change.text) == Self.command)
        #expect(try change.command("# remark\n" + change.text) == Self.command)
    }

    @Test func `what is sent makes the edited object`() throws {
        let change = try Self.change()
        let edited = try change.command(
            change.text.replacing("\"new\"", with: "\"old\"").replacing(
                "\"n\": 1", with: "\"n\": 2"))
        #expect(
            String(decoding: edited, as: UTF8.self)
                == "0:c:{\"id\":\"k\",\"v\":{\"n\":{\"o\":\"r\",\"v\":2}},\"o\":\"M\",\"sv\":3,\"ccid\":\"x\"}"
        )
        let other = try change.command(
            change.text.replacing("0:c:{\"id\":\"k\"", with: "1:c:{\"id\":\"l\""))
        #expect(
            String(decoding: other, as: UTF8.self)
                == "1:c:{\"id\":\"l\",\"o\":\"M\",\"sv\":3,\"ccid\":\"x\",\"v\":{\"t\":{\"o\":\"r\",\"v\":\"new\"}}}"
        )
    }

    @Test func `a change with the whole object has it in both places`() throws {
        let command = Array(
            "0:c:{\"id\":\"k\",\"o\":\"M\",\"v\":{\"t\":{\"o\":\"+\",\"v\":1}},\"d\":{\"t\":1}}"
                .utf8)
        let change = try #require(
            EditableChange(command, from: .client, base: .object(JSONObject())))
        let edited = try change.command(change.text.replacing("\"t\": 1", with: "\"t\": 2"))
        #expect(
            String(decoding: edited, as: UTF8.self)
                == "0:c:{\"id\":\"k\",\"o\":\"M\",\"v\":{\"t\":{\"o\":\"+\",\"v\":2}},\"d\":{\"t\":2}}"
        )
    }

    @Test(
        arguments: [
            ("\"n\": 1", "\"n\": ", 7, 1, "unexpected '}' in JSON"),
            (
                "\n\n{", "\n{", 2, 1,
                "here belong the command on one line, an empty line, and the object"
            ),
            ("0:c:{\"id\"", "0:c:\"id\"", 2, 1, "here belongs the command, with JSON in it"),
        ])
    func `what is wrong has a place`(
        each: (old: String, new: String, line: Int, column: Int, message: String)
    ) throws {
        let change = try Self.change()
        let error = #expect(throws: EditableTextError.self) {
            _ = try change.command(change.text.replacing(each.old, with: each.new))
        }
        #expect(error?.line == each.line)
        #expect(error?.column == each.column)
        #expect(error?.message == each.message)
    }

    @Test(
        arguments: [
            "0:cv:a", "0:c:{\"id\":\"k\",\"o\":\"-\"}", "0:c:[]",
            "0:c:{\"id\":\"k\",\"o\":\"M\",\"v\":{\"z\":{\"o\":\"d\",\"v\":\"=5\"}}}",
        ])
    func `what changes no such object has no text`(_ command: String) {
        #expect(EditableChange(Array(command.utf8), from: .client, base: Self.base) == nil)
    }
}
