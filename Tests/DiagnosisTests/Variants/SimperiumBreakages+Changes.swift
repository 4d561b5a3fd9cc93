/// Mistakes in changes.
extension SimperiumBreakages {
    private static let isEdit: @Sendable (String) -> Bool = {
        $0.contains("\"sv\":") && $0.contains("\"o\":\"M\"")
    }

    static let changes: [Breakage] = [
        Breakage(
            "sends changes in an array", "simperium.change.array-from-client",
            out: command("c") { "0:c:[" + $0.dropFirst(4) + "]" }),
        Breakage(
            "sends changes without identifier", "simperium.change.missing-field",
            out: once("c") { [CommandText.setting("ccid", nil, in: $0)] }),
        Breakage(
            "leaves out the source version", "simperium.change.no-sv",
            out: once("c", where: isEdit) { [CommandText.setting("sv", nil, in: $0)] }),
        Breakage(
            "states a version that never was", "simperium.change.sv-ahead",
            out: once("c", where: isEdit) { [CommandText.setting("sv", "99", in: $0)] }),
        Breakage(
            "never moves on from version 1", "simperium.change.stuck-sv",
            also: ["simperium.diff.wrong-length", "simperium.change.sv-behind"],
            out: command("c") {
                CommandText.member("sv", in: $0) == nil
                    ? $0 : CommandText.setting("sv", "1", in: $0)
            }),
        Breakage(
            "sends a second change before the first is acknowledged",
            "simperium.change.second-in-flight",
            out: once("c", where: isEdit) {
                [$0, CommandText.setting("ccid", "\"0123456789abcdef\"", in: $0)]
            }),
        Breakage(
            "uses an identifier for two objects", "simperium.change.ccid-of-another-object",
            also: ["simperium.story.stuck-key"],
            out: { text, memory in
                guard CommandText.name(text) == "c", !isEdit(text) else { return [text] }
                if let ccid = memory.texts["ccid"] {
                    return [CommandText.setting("ccid", ccid, in: text)]
                }
                memory.texts["ccid"] = CommandText.member("ccid", in: text)
                return [text]
            }),
        Breakage(
            "sends another change under the identifier of the last", "simperium.change.ccid-reused",
            also: ["simperium.change.no-cv-after-409"],
            out: { text, memory in
                guard CommandText.name(text) == "c", isEdit(text),
                    CommandText.member("id", in: text) == "\"a\""
                else { return [text] }
                if let ccid = memory.texts["ccid"] {
                    return [CommandText.setting("ccid", ccid, in: text)]
                }
                memory.texts["ccid"] = CommandText.member("ccid", in: text)
                return [text]
            }),
        Breakage(
            "counts characters where the server counts UTF-16", "simperium.diff.wrong-length",
            out: once("c", where: { $0.contains("\"v\":\"=") }) { [lengthened($0, by: -1)] }),
        Breakage(
            "counts bytes where the server counts UTF-16", "simperium.diff.wrong-length",
            out: once("c", where: { $0.contains("\"v\":\"=") }) { [lengthened($0, by: 2)] }),
        Breakage(
            "writes deltas that cannot be read", "simperium.diff.malformed-delta",
            out: once("c", where: { $0.contains("\"v\":\"=") }) {
                [CommandText.replacing("\"v\":\"=", "\"v\":\"=x", in: $0)]
            }),
        Breakage(
            "sends changes that change nothing", "simperium.diff.nothing",
            out: once("c", where: isEdit) {
                [CommandText.setting("v", #"{"count":{"o":"r","v":1}}"#, in: $0)]
            }),
        Breakage(
            "removes what is not there", "simperium.diff.does-not-apply",
            out: once("c", where: isEdit) {
                [CommandText.setting("v", #"{"nothing":{"o":"-"}}"#, in: $0)]
            }),
        Breakage(
            "replaces whole texts", "simperium.diff.whole-text",
            out: { text, memory in
                guard CommandText.name(text) == "c", isEdit(text) else { return [text] }
                let round = memory.count("edit")
                return [
                    CommandText.setting(
                        "v",
                        #"{"text":{"o":"r","v":"The whole text of the day, in round \#(round)."}}"#,
                        in: text)
                ]
            }),
        Breakage(
            "removes with operations", "simperium.change.remove-with-value",
            out: once("c", where: { $0.contains("\"o\":\"-\"") }) {
                [CommandText.setting("v", "{}", in: $0)]
            }),
        Breakage(
            "uses keys that are none", "simperium.change.key-grammar",
            out: { text, memory in
                guard CommandText.name(text) == "c" else { return [text] }
                return [CommandText.replacing("\"id\":\"f\"", "\"id\":\"f/g\"", in: text)]
            }),
        Breakage(
            "sends back what others changed", "simperium.story.echo",
            hears: onRemoteChange { text, memory in
                guard let id = CommandText.member("id", in: text),
                    let ev = CommandText.member("ev", in: text),
                    let value = CommandText.member("v", in: text)
                else { return [] }
                let ccid = "fedcba987654321" + String(memory.count("echo"))
                return [
                    #"0:c:{"id":\#(id),"o":"M","sv":\#(ev),"v":\#(value),"ccid":"\#(ccid)"}"#
                ]
            }),
        Breakage(
            "forgets what was not acknowledged", "simperium.change.never-resent",
            out: { text, memory in
                guard CommandText.name(text) == "c" else { return [text] }
                let ccid = CommandText.member("ccid", in: text) ?? ""
                return memory.count(ccid) > 1 ? [] : [text]
            }, scene: Scene.lostChange),
        Breakage(
            "sends what is pending before it has caught up", "simperium.session.resend-before-cv",
            out: { text, memory in
                if CommandText.name(text) == "c" { memory.texts["c"] = text }
                guard CommandText.name(text) == "cv",
                    let last = memory.texts.removeValue(forKey: "c")
                else { return [text] }
                return [last, text]
            }, scene: Scene.lostChange),
    ]

    /// The first `=n` of a delta made longer.
    private static func lengthened(_ text: String, by more: Int) -> String {
        guard let start = text.firstRange(of: "\"v\":\"=")?.upperBound else { return text }
        let digits = text[start...].prefix { $0.isNumber }
        guard let count = Int(digits) else { return text }
        return text[..<start] + String(count + more) + text[digits.endIndex...]
    }
}
