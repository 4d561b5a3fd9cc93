/// How much of one event a ``CommCareReader`` keeps.
///
/// What is longer is truncated, between characters, and the event marked (`isCut`). Reading
/// continues: these are bounds on memory, not on what a peer may send.
public struct CommCareBounds: Hashable, Sendable {
    /// Bytes of UTF-8 of one text or attribute.
    public var text: Int
    /// Bytes of UTF-8 of all names and texts of one event together.
    public var event: Int
    /// Properties, indices, attachments, entries and others of one event together.
    public var members: Int

    /// The given bounds; the defaults are far above what any known client or server sends.
    public init(text: Int = 1 << 18, event: Int = 1 << 20, members: Int = 10_000) {
        self.text = max(4, text)
        self.event = max(4, event)
        self.members = max(1, members)
    }
}
