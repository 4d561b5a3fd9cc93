import Framing
import Wire

/// What becomes of one message and of what goes along with it.
struct MessageVerdict {
    /// What becomes of one command, or of a message that holds none.
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

    /// What became of each command; one of the whole message, where it holds none.
    var outcomes: [Outcome]
    /// Whether the whole message is dropped.
    var isDropped = false
    /// Stands before its bytes.
    var before: [GateCommand] = []
    /// Goes behind it.
    var made: [Made] = []
    /// Stands behind everything.
    var after: [GateCommand] = []
    /// What is done to the WebSocket behind it.
    var actions: [Firing] = []

    init(count: Int) { outcomes = Array(repeating: .same, count: count) }

    /// Whether it goes on as it came.
    var isSame: Bool { !isDropped && outcomes.allSatisfy { $0 == .same } }
}
