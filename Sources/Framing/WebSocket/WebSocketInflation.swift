/// Where the inflating of one direction stands.
struct WebSocketInflation {
    let takesContextOver: Bool
    /// Made at the first compressed message, since many directions never have one.
    private var inflater: MessageInflater?
    /// Whether the context of the messages that follow is not known.
    private(set) var isLost = false
    /// Whether bytes were missing, so that the window has no more than what came since.
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

    /// Says that the message that was begun was not inflated to its end.
    mutating func abandon() {
        guard takesContextOver else { return }
        // With an empty window, the next message that refers to none before it can be read.
        isLost = isLost || !isPartial
        inflater = nil
    }

    /// Says that bytes are missing, in a message or between messages.
    mutating func miss() {
        guard takesContextOver else { return }
        isPartial = true
        inflater = nil
    }
}
