/// Channel and name at the start of a command.
///
/// The text is split at its first two colons only; the payload may hold colons and line feeds.
struct CommandHead {
    /// Commands that are specified, and `o` and `?`, which servers send as well.
    static let known: Set<String> = [
        "init", "auth", "i", "e", "cv", "c", "o", "h", "index", "log", "?",
    ]

    private(set) var channel: Int?
    private(set) var name = ""
    /// Offset of the first byte after the name and its colon.
    private(set) var payloadStart = 0
    private(set) var hasPayload = false
    private(set) var hasLeadingZeros = false
    private(set) var problem: SimperiumError?

    /// Nil where the start is not a command.
    init?(_ message: [UInt8]) {
        var nameStart = 0
        let digits = message.prefix { $0 &- 0x30 < 10 }.count
        if digits > 0 {
            guard digits < message.count, message[digits] == 0x3A else { return nil }
            nameStart = digits + 1
            hasLeadingZeros = digits > 1 && message[0] == 0x30
            channel = Int(String(decoding: message[..<digits], as: UTF8.self))
            if channel == nil { problem = .channelTooLarge(offset: 0) }
        }
        var nameEnd = nameStart
        // Names are short; what is not one must not be searched for a colon to its end.
        let most = min(message.count, nameStart + 64)
        while nameEnd < most, message[nameEnd] != 0x3A {
            guard message[nameEnd] > 0x20, message[nameEnd] < 0x7F else { return nil }
            nameEnd += 1
        }
        guard nameEnd > nameStart, nameEnd < nameStart + 64 else { return nil }
        name = String(decoding: message[nameStart..<nameEnd], as: UTF8.self)
        hasPayload = nameEnd < message.count
        payloadStart = hasPayload ? nameEnd + 1 : nameEnd
        // A channel's command without its channel is accepted where it has a payload: a bare `o` or
        // `c` opens or closes in SockJS.
        let ofConnection = name == "h" || name == "log" || name == "?"
        guard digits > 0 || ofConnection || (hasPayload && Self.known.contains(name)) else {
            return nil
        }
    }
}
