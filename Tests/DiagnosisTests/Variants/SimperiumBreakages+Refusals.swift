/// Mistakes about errors: the same change again where that is wrong, or nothing where more is due.
extension SimperiumBreakages {
    static let refusals: [Breakage] = [
        stubborn(400, "simperium.change.resend-after-400"),
        stubborn(401, "simperium.change.same-token-after-401"),
        stubborn(404, "simperium.change.diff-after-404"),
        stubborn(405, "simperium.change.diff-after-405"),
        stubborn(409, "simperium.change.resend-after-409"),
        stubborn(412, "simperium.change.resend-after-412"),
        stubborn(413, "simperium.change.resend-after-413"),
        stubborn(440, "simperium.change.diff-after-440"),
        Breakage(
            "does not ask what it missed after 409", "simperium.change.no-cv-after-409",
            out: { text, memory in
                let asks = ["cv", "e", "i"].contains(CommandText.name(text))
                return asks && memory.numbers["409"] != nil ? [] : [text]
            },
            hears: { text, memory in
                if text.contains("\"error\":409") { _ = memory.count("409") }
                return [text]
            }, scene: Scene.refused(409)),
        Breakage(
            "sends its ghost in the place of the object", "simperium.change.wrapped-data",
            out: command("c") { text in
                guard let data = CommandText.member("d", in: text) else { return text }
                return CommandText.setting(
                    "d", #"{"version":1,"data":\#(data)}"#, in: text)
            }, scene: Scene.refused(440)),
        Breakage(
            "is stuck after an error", "simperium.change.stuck-key",
            out: { text, memory in
                guard CommandText.name(text) == "c", memory.numbers["error"] != nil,
                    CommandText.member("id", in: text) == "\"a\""
                else { return [text] }
                return []
            },
            hears: { text, memory in
                if text.contains("\"error\":503") { _ = memory.count("error") }
                return [text]
            },
            scene: { world in
                Scene.refused(503)(&world)
                for round in 0..<14 {
                    world.edit(VariantWorld.broken, "b", "Round \(round) of b.", round)
                    world.pass(60)
                }
            }),
    ]

    /// Sends the refused change again, as it was.
    private static func stubborn(_ code: Int, _ rule: String) -> Breakage {
        Breakage(
            "sends the same again after \(code)", rule,
            out: { text, memory in
                if CommandText.name(text) == "c" {
                    if memory.numbers["refused"] != nil { return [] }
                    memory.texts["c"] = text
                }
                return [text]
            },
            hears: { text, memory in
                guard text.contains("\"error\":\(code)") else { return [text] }
                _ = memory.count("refused")
                memory.toSend.append(memory.texts["c"] ?? "")
                return []
            }, scene: Scene.refused(code))
    }
}
