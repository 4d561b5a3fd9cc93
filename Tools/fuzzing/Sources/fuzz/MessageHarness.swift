internal import Simperium
internal import Wire

extension Harness {
    /// Reads a command as a value, writes it and reads it again.
    static let message = Harness(name: "message") { bytes in
        for sender in [Peer.client, .server] {
            let command = SimperiumCommand.parse(bytes, from: sender)
            guard let message = SimperiumMessage(command, in: bytes) else { continue }
            // Without a channel and payload it has no spelling that differs from plain text.
            switch message.body {
            case .indexStateRequest where message.channel == nil,
                .other(_, nil) where message.channel == nil:
                continue
            default: break
            }
            let written = message.encoded(by: sender)
            let again = SimperiumCommand.parse(written, from: sender)
            demandSame(
                [SimperiumMessage(again, in: written)], [message],
                "written and read it is the same: \(String(decoding: written, as: UTF8.self))")
        }
    }
}
