/// Where the inflating of one direction stands.
struct WebSocketInflation {
    let takesContextOver: Bool
    /// Made at the first compressed message, since many directions never have one.
    private var inflater: MessageInflater?
    /// Whether the context of the messages that follow is not known.
    private(set) var isLost = false

    init(takesContextOver: Bool) { self.takesContextOver = takesContextOver }

    /// The inflater, ready for a message; nil where the context of the message is lost.
    mutating func begin(limit: Int64) -> MessageInflater? {
        guard !isLost else { return nil }
        let inflater = inflater ?? MessageInflater(contextTakeover: takesContextOver)
        self.inflater = inflater
        inflater.begin(limit: limit)
        return inflater
    }

    /// Says that the message that was begun was not inflated to its end.
    mutating func abandon() {
        guard takesContextOver else { return }
        isLost = true
        inflater = nil
    }
}
