/// Mistakes about connections, authorization, heartbeats, the index, entities and versions.
extension SimperiumBreakages {
    static let sessions: [Breakage] = [
        Breakage(
            "spells clientid with an underscore", "simperium.session.client-id-spelling",
            out: command("init") { CommandText.replacing("\"clientid\"", "\"client_id\"", in: $0) }),
        Breakage(
            "names no library", "simperium.session.init-without-library",
            out: command("init") {
                CommandText.setting(
                    "version", nil, in: CommandText.setting("library", nil, in: $0))
            }),
        Breakage(
            "asks before it is let in", "simperium.auth.command-before-answer",
            out: once("init") { [$0, "0:i:1:::10"] }),
        Breakage(
            "goes on after the token was refused", "simperium.auth.command-after-refusal",
            hears: { text, memory in
                guard CommandText.name(text) == "auth", text.contains("code") else { return [text] }
                memory.toSend.append("0:i:1:::10")
                return []
            }, scene: Scene.refusedToken([401])),
        Breakage(
            "tries the refused token again and again", "simperium.auth.same-token-again",
            out: { text, memory in
                if CommandText.name(text) == "init" { memory.texts["init"] = text }
                return [text]
            },
            hears: { text, memory in
                guard CommandText.name(text) == "auth", text.contains("code") else { return [text] }
                memory.toSend.append(memory.texts["init"] ?? "")
                return []
            }, scene: Scene.refusedToken([401, 401, 401, 401, 401, 401])),
        Breakage(
            "is another client on each connection", "simperium.session.client-id-changed",
            out: { text, memory in
                guard CommandText.name(text) == "init", memory.count("init") > 1 else {
                    return [text]
                }
                return [CommandText.replacing("client-0", "client-0-again", in: text)]
            }, scene: Scene.lostChange),
        Breakage(
            "edits before it has the index", "simperium.session.change-before-index",
            out: once("i") {
                [
                    #"0:c:{"id":"early","o":"M","v":{"n":{"o":"+","v":1}},"ccid":"abcdef0123456789"}"#,
                    $0,
                ]
            }),
        Breakage(
            "opens a bucket twice on one socket", "simperium.session.bucket-twice",
            out: { text, memory in
                if CommandText.name(text) == "init" { memory.texts["init"] = text }
                guard CommandText.name(text) == "i", memory.count("i") == 1 else { return [text] }
                return [text, "1" + (memory.texts["init"] ?? "").dropFirst()]
            }),
        Breakage(
            "sends no heartbeats", "simperium.heartbeat.missing",
            out: { text, _ in CommandText.name(text) == "h" ? [] : [text] },
            scene: { world in
                world.connect(VariantWorld.broken)
                world.edit(VariantWorld.broken, "a", "The a of the day.", 1)
                world.pass(100)
                world.edit(VariantWorld.broken, "a", "The a of the next day.", 2)
            }),
        Breakage(
            "sends heartbeats on a channel", "simperium.heartbeat.on-channel",
            out: command("h") { "0:" + $0 }),
        Breakage(
            "never counts its heartbeats up", "simperium.heartbeat.not-incremented",
            out: command("h") { _ in "h:1" }),
        Breakage(
            "reads the first page of the index alone", "simperium.index.unfinished",
            also: ["simperium.session.change-before-index"],
            hears: { text, _ in
                [CommandText.name(text) == "i" ? CommandText.setting("mark", nil, in: text) : text]
            }, scene: Scene.manyObjects),
        Breakage(
            "asks for pages that are too large", "simperium.index.limit",
            out: command("i") { _ in "0:i:1:::5000" }),
        Breakage(
            "cuts keys at the first dot", "simperium.entity.truncated-key",
            out: command("e") { text in
                let parts = text.split(separator: ".")
                return parts.count < 3 ? text : "\(parts[0]).\(parts[parts.count - 1])"
            }, scene: Scene.manyObjects),
        Breakage(
            "asks for version NaN", "simperium.entity.malformed",
            out: command("e") { text in
                text[..<(text.lastIndex(of: ".") ?? text.endIndex)] + ".NaN"
            }, scene: Scene.manyObjects),
        Breakage(
            "asks for everything over and over", "simperium.entity.flood",
            also: ["simperium.entity.again"],
            hears: { text, memory in
                if CommandText.name(text) == "i", memory.count("i") == 1 {
                    memory.toSend += Array(repeating: "0:e:key.0.1", count: 600)
                }
                return [text]
            }, scene: Scene.manyObjects),
        Breakage(
            "asks for what it has", "simperium.entity.again",
            hears: { text, memory in
                if CommandText.name(text) == "e", memory.count("e") < 20 {
                    memory.toSend.append("0:e:key.0.1")
                }
                return [text]
            }, scene: Scene.manyObjects),
        Breakage(
            "asks since a version it has left behind", "simperium.cv.not-advanced",
            out: { text, memory in
                guard CommandText.name(text) == "cv", let first = memory.texts["cv"] else {
                    return [text]
                }
                return ["0:cv:\(first)"]
            },
            hears: { text, memory in
                if CommandText.name(text) == "c", memory.texts["cv"] == nil,
                    let cv = CommandText.member("cv", in: text)
                {
                    memory.texts["cv"] = String(cv.dropFirst().dropLast())
                }
                return [text]
            }),
        Breakage(
            "asks since version 0", "simperium.cv.placeholder", out: command("cv") { _ in "0:cv:0" }
        ),
        Breakage(
            "does not read the index after cv:?", "simperium.cv.unknown-ignored",
            hears: { text, _ in text == "0:cv:?" ? [] : [text] }, scene: Scene.forgottenVersions),
        Breakage(
            "reads the whole index for each change of others", "simperium.index.read-again",
            hears: onRemoteChange { _, _ in ["0:i:1:::100"] }),
        Breakage(
            "calls pending changes pendings", "simperium.remote.index-form",
            out: command("index") { CommandText.replacing("\"pending\"", "\"pendings\"", in: $0) },
            scene: Scene.askedForState),
        Breakage(
            "says what no specification knows", "simperium.session.unknown-command",
            out: once("c") { [$0, "0:x:1"] }),
        Breakage(
            "comes back at once, again and again", "simperium.session.reconnect-storm",
            scene: { world in
                for _ in 0..<20 {
                    world.connect(VariantWorld.broken)
                    world.cut(VariantWorld.broken)
                }
                world.connect(VariantWorld.broken)
                world.pass(60)
            }),
    ]
}
