import Replaying
import Trace
import Wire

extension ReplaySide {
    /// Whether all of the content is here; of a large one the trace keeps the first bytes beside the
    /// chunks.
    var isWhole: Bool { size <= Int64(content.count) }

    /// Whether the content is what was on the wire, but for transfer coding.
    var isAsSent: Bool { coding.isEmpty && wireSize == size && isWhole }

    /// The message with this body.
    func message(_ body: [UInt8], of peer: Peer, _ heads: RecordedHeads) -> ReplayMessage {
        ReplayMessage(fields: heads.head(head, of: peer).fields, body: body)
    }

    /// The response with this body.
    func response(_ body: [UInt8], _ heads: RecordedHeads) -> RecordedResponse {
        let head = heads.head(head, of: .server)
        return RecordedResponse(
            status: head.status ?? 0, reason: head.reason, fields: head.fields, body: body,
            isCut: outcome == "response-cut")
    }
}
