package import Replaying
package import Trace
package import Wire

extension ReplaySide {
    /// Whether all of the content is here; of a large one the trace keeps the first bytes beside the
    /// chunks.
    package var isWhole: Bool { size <= Int64(content.count) }

    /// Whether the content is what was on the wire, but for transfer coding.
    package var isAsSent: Bool { coding.isEmpty && wireSize == size && isWhole }

    /// The message with this body.
    package func message(_ body: [UInt8], of peer: Peer, _ heads: RecordedHeads) -> ReplayMessage {
        ReplayMessage(fields: heads.head(head, of: peer).fields, body: body)
    }

    /// The response with this body.
    package func response(_ body: [UInt8], _ heads: RecordedHeads) -> RecordedResponse {
        let head = heads.head(head, of: .server)
        return RecordedResponse(
            status: head.status ?? 0, reason: head.reason, fields: head.fields, body: body,
            isCut: outcome == "response-cut")
    }
}
