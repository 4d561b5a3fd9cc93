/// Mistakes of Simperium clients, each switched on alone.
enum SimperiumBreakages {
    static let all: [Breakage] = sessions + changes + refusals

    /// Changes one command on its way out.
    static func command(
        _ name: String, _ change: @escaping @Sendable (String) -> String
    ) -> @Sendable (String, inout Breakage.Memory) -> [String] {
        { text, _ in [CommandText.name(text) == name ? change(text) : text] }
    }

    /// Changes the first command of a name, the `which`-th, and leaves the others.
    static func once(
        _ name: String, where holds: @escaping @Sendable (String) -> Bool = { _ in true },
        _ change: @escaping @Sendable (String) -> [String]
    ) -> @Sendable (String, inout Breakage.Memory) -> [String] {
        { text, memory in
            guard CommandText.name(text) == name, holds(text), memory.count("once") == 1 else {
                return [text]
            }
            return change(text)
        }
    }

    /// Says something more when the other client's change comes.
    static func onRemoteChange(
        _ more: @escaping @Sendable (String, inout Breakage.Memory) -> [String]
    ) -> @Sendable (String, inout Breakage.Memory) -> [String] {
        { text, memory in
            if CommandText.name(text) == "c", text.contains("\"clientid\":\"client-1\"") {
                let said = more(text, &memory)
                memory.toSend += said
            }
            return [text]
        }
    }
}
