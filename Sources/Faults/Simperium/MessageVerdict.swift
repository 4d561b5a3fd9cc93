import Framing
import Wire

/// The decision on one message and what is sent with it.
struct MessageVerdict {
    /// What happens to one command, or of a message that holds none.
    enum Outcome: Equatable {
        case same
        case changed([UInt8])
        case dropped
        case kept
    }

    /// A message or text of a command that is made.
    struct Made {
        var opcode = WebSocketOpcode.text
        /// The text of a command, or the payload of the message.
        let payload: [UInt8]
        var isCommand = true
        let receiver: Peer
        let draw: UInt64
    }

    /// A message or command that somebody is asked about.
    struct Asked {
        let firing: Firing
        let subject: AskedSubject
        /// The place of a command among those of the message; nil for the message.
        let position: Int?
    }

    /// The outcome of each command; one of the whole message, where it holds none.
    var outcomes: [Outcome]
    /// Whether the whole message is dropped.
    var isDropped = false
    /// Precedes its bytes.
    var before: [GateCommand] = []
    /// Sent after it.
    var made: [Made] = []
    /// Follows everything.
    var after: [GateCommand] = []
    /// What somebody is asked about.
    var asked: [Asked] = []
    /// What is done to the WebSocket after it.
    var actions: [Firing] = []

    init(count: Int) { outcomes = Array(repeating: .same, count: count) }

    /// Whether it is forwarded unchanged.
    var isSame: Bool { !isDropped && outcomes.allSatisfy { $0 == .same } }
}
