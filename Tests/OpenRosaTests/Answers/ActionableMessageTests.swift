import Testing

@testable import OpenRosa

@Suite struct ActionableMessageTests {
    @Test func `reads the two keys and chooses the text`() throws {
        let json =
            #" {"error":"user.deactivated", "default_response" : "Compte d\u00e9sactiv\u00e9 \ud83d\ude00\n\"ok\" \/", "x":""} "#
        let message = try ActionableMessage(parsing: Array(json.utf8).span)
        #expect(message.error == "user.deactivated")
        #expect(message.defaultResponse == "Compte désactivé 😀\n\"ok\" /")
        #expect(message.message(translations: [:]) == message.defaultResponse)
        #expect(message.message(translations: ["user.deactivated": "Hallo"]) == "Hallo")
    }

    @Test(
        arguments: [
            ("", .notAnObjectOfStrings(offset: 0)), ("[]", .notAnObjectOfStrings(offset: 0)),
            ("{}", .missing(key: "error")), (#"{"error":"x"}"#, .missing(key: "default_response")),
            (#"{"error":1}"#, .notAnObjectOfStrings(offset: 9)),
            (#"{"error":"x",}"#, .notAnObjectOfStrings(offset: 13)),
            (#"{"error":"\x"}"#, .notAnObjectOfStrings(offset: 11)),
            (#"{"error":"x"#, .notAnObjectOfStrings(offset: 11)),
            (#"{"error":"x"} z"#, .notAnObjectOfStrings(offset: 14)),
            (#"{"a":"\u12"}"#, .notAnObjectOfStrings(offset: 10)),
            (#"{"a":"\ug","b":""}"#, .notAnObjectOfStrings(offset: 8)),
            (#"{"a":"\u12"#, .notAnObjectOfStrings(offset: 10)),
            (#"{"a":"\"#, .notAnObjectOfStrings(offset: 7)),
            (#"{"a":{"b":"c"}}"#, .notAnObjectOfStrings(offset: 5)),
            ("{\"a\":\"\n\"}", .notAnObjectOfStrings(offset: 6)),
        ] as [(String, ActionableMessage.Problem)])
    func `refuses`(text: String, problem: ActionableMessage.Problem) {
        #expect(throws: problem) { try ActionableMessage(parsing: Array(text.utf8).span) }
    }

    @Test func `lone halves of pairs become replacement characters`() throws {
        let json = #"{"error":"\ud83d","default_response":"\ude00\ud83dx\ud83d\u0041"}"#
        let message = try ActionableMessage(parsing: Array(json.utf8).span)
        #expect(message.error == "\u{FFFD}")
        #expect(message.defaultResponse == "\u{FFFD}\u{FFFD}x\u{FFFD}A")
    }
}
