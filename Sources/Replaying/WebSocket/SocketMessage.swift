/// The contents of a WebSocket message.
public struct SocketMessage: Hashable, Sendable {
    /// Whether it is text; else it is binary.
    public var isText: Bool
    /// Its payload, unmasked and inflated.
    public var payload: [UInt8]

    /// A message with these values.
    public init(isText: Bool, payload: [UInt8]) {
        self.isText = isText
        self.payload = payload
    }

    /// A recorded message as it is in a run: text contains the values that the live server issued
    /// in place of the recorded ones.
    init(
        _ recorded: RecordedConversation.Message, _ payload: [UInt8]?, in identity: ReplayIdentity
    ) {
        let payload = payload ?? []
        let translated = recorded.isText ? identity.translated(payload) : nil
        self.init(isText: recorded.isText, payload: translated ?? payload)
    }

    /// Where a live message differs from this recorded one: text from binary, and by their
    /// contents.
    ///
    /// - Parameters:
    ///   - live: The received message.
    ///   - leftOut: What takes no part.
    ///   - limit: The maximum number of differences that are listed.
    /// - Returns: None where both are equivalent.
    func differences(
        to live: SocketMessage, without leftOut: LeftOut, limit: Int = 20
    ) -> Differences {
        var found = Differences(limit: limit)
        guard isText == live.isText else {
            func kind(_ message: SocketMessage) -> String { message.isText ? "text" : "binary" }
            found.add(Difference(.presence, "message", recorded: kind(self), live: kind(live)))
            return found
        }
        guard payload != live.payload else { return found }
        found.compare(
            Meaning(payload, without: leftOut), Meaning(live.payload, without: leftOut),
            in: Difference.Scope())
        return found
    }

    /// What it is on one line.
    var line: String {
        guard isText else { return "binary, \(payload.count) bytes" }
        return "text \(OneLine.text(String(decoding: payload.prefix(400), as: UTF8.self)).quoted)"
    }
}
