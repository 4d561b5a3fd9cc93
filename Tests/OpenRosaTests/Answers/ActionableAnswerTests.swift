import Notation
import Testing

@testable import OpenRosa

@Suite struct ActionableAnswerTests {
    private static let envelope = "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"

    @Test(
        arguments: [
            (
                #"{"error":"user.deactivated","default_response":"Désactivé 😀"}"#,
                .json(.init(error: "user.deactivated", defaultResponse: "Désactivé 😀"))
            ),
            (
                envelope + "<message nature=\"user.deactivated\">No é</message></OpenRosaResponse>",
                .xml(nature: "user.deactivated", text: "No é")
            ),
            (
                "\n" + envelope + "<message>No</message></OpenRosaResponse>",
                .xml(nature: nil, text: "No")
            ),
            (envelope, .text(envelope)), ("<html/>", .text("<html/>")),
            (#"{"error":"x"}"#, .text(#"{"error":"x"}"#)),
            (" hello world \r\n", .text("hello world")),
            ("", .empty), (" \n", .empty),
        ] as [(String, ActionableAnswer)])
    func `reads every shape`(body: String, answer: ActionableAnswer) {
        #expect(ActionableAnswer(Array(body.utf8)) == answer)
    }

    @Test func `shows the translation, else the text`() {
        let translations = ["user.deactivated": "Konto gesperrt"]
        let json = ActionableAnswer.json(.init(error: "user.deactivated", defaultResponse: "No"))
        #expect(json.message(translations: translations) == "Konto gesperrt")
        #expect(json.message() == "No")
        #expect(json.isSpecified)
        let xml = ActionableAnswer.xml(nature: "user.deactivated", text: "No")
        #expect(xml.message(translations: translations) == "Konto gesperrt")
        #expect(xml.message() == "No")
        #expect(ActionableAnswer.xml(nature: nil, text: "").message() == "Unknown issue")
        #expect(ActionableAnswer.empty.message() == "Unknown issue")
        #expect(!ActionableAnswer.text("x").isSpecified)
    }

    @Test func `cuts what is long, between characters`() {
        let body = Array(("x" + String(repeating: "é", count: 100_000)).utf8)
        let text = ActionableAnswer(body).message()
        #expect(text == "x" + String(repeating: "é", count: 2047))
    }

    @Test func `takes any bytes`() {
        for seed in 0..<2000 {
            var random = SplitMix64(seed: UInt64(seed))
            let length = Int.random(in: 0...40, using: &random)
            let body = (0..<length).map { _ in
                Array("{}\"<>/é\\u ".utf8).randomElement(using: &random)
                    ?? UInt8.random(in: 0...255, using: &random)
            }
            #expect(!ActionableAnswer(body).message().isEmpty)
        }
    }
}
