/// The state of the inflation of one direction.
struct WebSocketInflation {
    let takesContextOver: Bool
    /// Made at the first compressed message, since many directions never have one.
    private var inflater: MessageInflater?
    /// Whether the context of the messages that follow is unknown.
    private(set) var isLost = false
    /// Whether bytes were missing, so that the window has only what arrived since.
    ///
    /// zlib refuses what refers to more than that, so that what it inflates is right.
    private(set) var isPartial = false

    init(takesContextOver: Bool) { self.takesContextOver = takesContextOver }

    /// How a message that begins is inflated, to at most `limit` bytes.
    mutating func mode(limit: Int64) -> WebSocketMessageBuilder.Mode {
        guard !isLost else { return .contextLost }
        let inflater = inflater ?? MessageInflater(contextTakeover: takesContextOver)
        self.inflater = inflater
        inflater.begin(limit: limit)
        return isPartial ? .trying(inflater, compressed: [], size: 0) : .inflating(inflater)
    }

    /// Notes that the current message was not inflated to its end.
    mutating func abandon() {
        guard takesContextOver else { return }
        // With an empty window, the next message that refers to none before it can be read.
        isLost = isLost || !isPartial
        inflater = nil
    }

    /// Notes that bytes are missing, in a message or between messages.
    mutating func miss() {
        guard takesContextOver else { return }
        isPartial = true
        inflater = nil
    }

    /// Goes on with an inflater of its own.
    ///
    /// - Returns: That inflater, which messages in progress have to use; nil where there is none.
    mutating func separate() -> MessageInflater? {
        inflater = inflater.map(MessageInflater.init(copying:))
        return inflater
    }
}
