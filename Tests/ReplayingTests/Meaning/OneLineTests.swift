import Testing

@testable import Replaying

@Suite struct OneLineTests {
    private static let long = String(repeating: "a", count: 80)

    @Test(
        arguments: [
            ("", ""), ("plain text ~", "plain text ~"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1B}[1m\u{7F}", "\\u{1b}[1m\\u{7f}"), ("é\u{202E}", "é\\u{202e}"),
            (long, long), (long + "b", long + "…"), (long + "é", long + "…"),
            ("é" + long, "é" + long.dropLast() + "…"), ("\n" + long, "\\n" + long.dropLast() + "…"),
        ])
    func `shortens and escapes`(text: String, line: String) {
        #expect(OneLine.text(text) == line)
        #expect(OneLine.text(text[...]) == line)
    }
}
