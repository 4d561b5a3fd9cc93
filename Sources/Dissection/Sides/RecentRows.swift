import Wire

/// What passed last on a connection while both sides had the same, by which a repetition is
/// recognized.
struct RecentRows {
    /// The contents of a message, as far as a repetition has to have the same.
    struct Contents: Hashable {
        let opcode: Int
        let size: Int64
        let start: [UInt8]

        init(_ row: MessageRow) {
            opcode = row.opcode
            size = row.size
            start = Array(row.payload.prefix(Self.compared))
        }

        /// Bytes of a payload that are compared; what identifies a change is at its start or in few
        /// bytes.
        private static let compared = 512
    }

    /// A message and the commands in it.
    struct Message {
        let id: MessageID
        let commands: [CommandID]
    }

    /// The last exchange that was finished.
    var exchange: ExchangeRow?
    /// The last messages of each sender, the oldest first.
    private var messages: [[(contents: Contents, message: Message)]] = [[], []]

    /// Messages of a sender that are kept.
    private static let kept = 8

    init(exchange: ExchangeRow? = nil) { self.exchange = exchange }

    /// Keeps a message with the commands in it.
    mutating func append(_ row: MessageRow, _ commands: [CommandID]) {
        guard row.opcode < 8 else { return }
        let sender = row.sender.rawValue
        if messages[sender].count >= Self.kept { messages[sender].removeFirst() }
        messages[sender].append((Contents(row), Message(id: row.id, commands: commands)))
    }

    /// The last message with the same contents; nil where there is none.
    func first(like row: MessageRow) -> Message? {
        let contents = Contents(row)
        return messages[row.sender.rawValue].last { $0.contents == contents }?.message
    }
}
