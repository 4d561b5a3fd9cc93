import Wire

/// What senders sent and nobody received, as far as it is kept to recognize it when it is received
/// after all.
struct LostRows {
    /// Requests of the client, the oldest first.
    var exchanges: [ExchangeRow] = []
    /// Messages by sender, the oldest first.
    var messages: [[MessageGroup]] = [[], []]

    /// Bytes that they take in memory, roughly.
    var heldBytes: Int {
        messages.reduce(exchanges.count * 512) { $0 + $1.reduce(0) { $0 + $1.heldBytes } }
    }

    /// How many of each kind are kept, and how large a message may be.
    private static let kept = 64
    private static let largest = 1 << 20

    mutating func append(_ row: ExchangeRow) {
        if exchanges.count >= Self.kept { exchanges.removeFirst() }
        exchanges.append(row)
    }

    mutating func append(_ group: MessageGroup) {
        guard group.heldBytes <= Self.largest else { return }
        let sender = group.message.sender.rawValue
        if messages[sender].count >= Self.kept { messages[sender].removeFirst() }
        messages[sender].append(group)
    }

    /// The oldest message with the same contents, which is no longer lost; nil where there is none.
    mutating func take(like group: MessageGroup) -> MessageGroup? {
        let sender = group.message.sender.rawValue
        guard let index = messages[sender].firstIndex(where: { $0.isLike(group) }) else {
            return nil
        }
        return messages[sender].remove(at: index)
    }

    /// The oldest request that asks the same, which is no longer lost; nil where there is none.
    mutating func take(like row: ExchangeRow) -> ExchangeRow? {
        guard let index = exchanges.firstIndex(where: { $0.asks(like: row) }) else { return nil }
        return exchanges.remove(at: index)
    }
}
