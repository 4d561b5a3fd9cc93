import Testing

@testable import tapedeck

@Suite struct TextWidthTests {
    @Test(arguments: [
        ("abc", 3), ("größe", 5), ("e\u{301}", 1), ("日本", 4), ("ｆ", 2), ("한", 2), ("👩‍👩‍👧", 2),
        ("", 0), ("→ …", 3), ("350 µs", 6), ("µ\u{301}é", 2), ("1 µ", 3),
    ])
    func `counts columns`(text: String, columns: Int) {
        #expect(TextWidth.of(text) == columns)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
        ("abc", 1, "…"), ("abc", 0, ""),
    ])
    func `cuts at the end`(text: String, width: Int, cut: String) {
        #expect(TextWidth.cut(text, width) == cut)
    }

    @Test func `shortens a URL in the middle`() {
        let url = "http://demo.example/a/demo/phone/restore/?version=2.0"
        #expect(TextWidth.shortened(url, 31) == "http://demo.…store/?version=2.0")
        #expect(TextWidth.of(TextWidth.shortened("http://例え.example/路/長い", 15)) <= 15)
        #expect(TextWidth.shortened(url, 80) == url)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, 80, 80), ("100", 80, 100), ("0", 80, 80), ("x", nil, nil),
            ("3", 80, 20),
        ] as [(String?, Int?, Int?)])
    func `knows the columns`(variable: String?, reported: Int?, columns: Int?) {
        #expect(Terminal.columns(variable, reported) == columns)
    }

    @Test(
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false),
            (true, ["NO_COLOR": ""], true), (true, ["TERM": "dumb"], false),
        ] as [(Bool, [String: String], Bool)])
    func `has colour where it is wanted`(
        isTerminal: Bool, environment: [String: String], hasColour: Bool
    ) {
        #expect(Terminal.hasColour(isTerminal: isTerminal, environment) == hasColour)
    }

    @Test(
        arguments: [
            (["TERM": "xterm"], "less"), (["TERM": "dumb"], nil), ([:], nil),
            (["PAGER": "more"], "more"),
            (["PAGER": "more", "TAPEDECK_PAGER": "most -s"], "most -s"),
            (["PAGER": "cat", "TERM": "xterm"], nil),
            (["TAPEDECK_PAGER": "", "PAGER": "more"], nil),
        ] as [([String: String], String?)])
    func `picks a pager`(environment: [String: String], command: String?) {
        #expect(Pager.command(environment, hasProgram: { $0 == "less" }) == command)
    }
}
