package import Replaying
package import Trace
package import Wire

extension RecordedSession {
    /// The messages of a WebSocket without Simperium, and the side that closed it first.
    package struct Talk {
        var messages: [RecordedConversation.Message] = []
        var close: (sender: Peer, end: RecordedSocket.End)?
    }

    /// The messages of the WebSockets without Simperium, by the exchanges that opened these.
    package static func talks(_ reader: ReplayReader) throws(TraceError) -> [ExchangeID: Talk] {
        var talks: [ExchangeID: Talk] = [:]
        try reader.messages { row in
            guard case .close(let code) = row.kind else {
                talks[row.exchange, default: Talk()].messages.append(
                    .init(
                        id: row.id, sender: row.sender, isText: row.kind == .text, at: row.at))
                return
            }
            // The other side answers with the same.
            guard talks[row.exchange]?.close == nil else { return }
            talks[row.exchange, default: Talk()].close = (row.sender, .init(code: code, at: row.at))
        }
        return talks
    }

    /// The conversation over a WebSocket without Simperium.
    package static func conversation(_ row: ReplaySocketRow, _ talk: Talk) -> RecordedConversation {
        var conversation = RecordedConversation(
            exchange: row.exchange, openedAt: row.openedAt, messages: talk.messages)
        switch talk.close {
        case (.client, let end)?: conversation.clientEnd = end
        case (.server, let end)?: conversation.end = end
        case nil: conversation.end = row.endedAt.map { .init(code: nil, at: $0) }
        }
        return conversation
    }
}
