import Dissection
import Framing
import Simperium
import Wire

/// Messages and commands about which somebody outside is asked.
///
/// They wait behind the gate in the order of what their sender sent, so that what nobody changes
/// stays as it was sent.
extension WebSocketGate {
    /// Notes that somebody is asked about a message or command, once.
    ///
    /// - Returns: Whether the firing asks, so that there is nothing else to be done.
    func willAsk(
        _ firing: Firing, _ subject: AskedSubject, _ position: Int?,
        _ verdict: inout MessageVerdict
    ) -> Bool {
        guard firing.isAsking else { return false }
        if !verdict.asked.contains(where: { $0.position == position }) {
            verdict.asked.append(
                MessageVerdict.Asked(firing: firing, subject: subject, position: position))
        }
        return true
    }

    /// Asks about a message that no rule changed, and what is in it.
    ///
    /// - Returns: What has to wait for a decision.
    func asked(
        _ verdict: MessageVerdict, _ message: WebSocketMessage, _ spoken: [Spoken],
        _ frames: [Int], _ sender: Peer, _ at: Instant
    ) -> [HeldMessage] {
        guard !verdict.asked.isEmpty, verdict.isSame, !message.opcode.isControl,
            let asker = session.asker
        else { return [] }
        let mask = frames.first.flatMap { lanes[sender.rawValue].segments[$0].mask }
        var parked: [HeldMessage] = []
        for asked in verdict.asked {
            var frame = AskedFrame(
                opcode: message.opcode, sender: sender, mask: mask, frames: frames.count)
            var content = HeldMessage.Content.message(isText: message.isText)
            var bytes = message.payload
            if let position = asked.position, spoken.indices.contains(position) {
                let each = spoken[position]
                content = .command(
                    channel: each.command.channel, bucket: each.row.bucket,
                    key: each.row.key ?? each.changes.first?.key)
                bytes = each.part.text
                if let range = each.part.range {
                    frame.isWithin = true
                    frame.before = Array(message.payload[..<(range.lowerBound - 1)])
                    frame.behind = Array(message.payload[(range.upperBound + 1)...])
                }
            }
            let held = HeldMessage(
                id: session.nextHeld(), connection: context.connection, sender: sender,
                content: content, bytes: bytes, firing: asked.firing, at: at, frame: frame)
            if asker.ask(asked.subject, as: held) == .wait { parked.append(held) }
        }
        return parked
    }
}
