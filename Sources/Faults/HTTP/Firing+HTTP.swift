import Notation
import Wire

extension Firing {
    /// The sender of the message it is applied to, where the rule was evaluated for one of
    /// `sender`.
    func target(judgedAt sender: Peer) -> Peer {
        switch action.kind {
        case .corrupt, .contentType, .setHeader, .removeHeader, .addHeader:
            action.text("sender") == "client" ? .client : .server
        case .edit: action.editedSide
        case .redirect, .block, .map, .serve, .recorded: .client
        case .latency, .hold:
            switch action.text("sender") {
            case "client": .client
            case "server": .server
            default: sender
            }
        case .loseAnswer, .answerTwice, .truncate, .length, .cutXML: .server
        case .drop, .doubled: .client
        default: sender
        }
    }

    /// Whether the whole message has to be there.
    var needsBody: Bool {
        switch action.kind {
        case .corrupt, .cutXML, .answerTwice, .doubled, .hold, .recorded: true
        case .edit: EditedPart(action)?.isOfHead == false
        default: false
        }
    }

    /// Whether it answers a request in the server's place.
    var isAnswer: Bool {
        switch action.kind {
        case .status, .answer, .redirect, .block, .serve, .recorded: true
        default: false
        }
    }

    /// Whether the message is sent again.
    var repeatsBytes: Bool {
        action.kind == .doubled || action.kind == .answerTwice
    }

    /// How long a `latency` takes in nanoseconds: its span, more or less by what is drawn.
    var delay: Int64 {
        let jitter = max(0, action.duration("jitter") ?? 0)
        var draws = SplitMix64(seed: draw)
        let drawn = jitter > 0 ? Int64.random(in: -jitter...jitter, using: &draws) : 0
        let (sum, isFar) = (action.duration("by") ?? 0).addingReportingOverflow(drawn)
        return max(0, isFar ? .max : sum) + min(afterNanoseconds, 1 << 60)
    }
}
