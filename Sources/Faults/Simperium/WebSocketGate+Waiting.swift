import Framing
import Wire

extension WebSocketGate {
    /// Something that is done at a time to come.
    struct Later {
        enum What {
            case made(MessageVerdict.Made)
            case action
            /// The connection is closed.
            case end
        }

        let at: Instant
        let firing: Firing
        let what: What
    }

    /// A message that is sent after the next one of its sender, of a command of its channel.
    struct Postponed {
        let sender: Peer
        let opcode: WebSocketOpcode
        let payload: [UInt8]
        /// Whether it is the text of a command, of the channel if it has one.
        let isCommand: Bool
        let channel: Int?
        let draw: UInt64
        let until: Instant
    }

    /// Changes of a channel that are sent together.
    struct Joining {
        let channel: Int
        let firing: Firing
        let count: Int
        var texts: [[UInt8]]
        let until: Instant
    }

    /// A refusal in the place of the server's acknowledgement.
    struct Refusal {
        let firing: Firing
        let json: [UInt8]
        /// Whether another change of the same command was refused.
        var isDone = false
    }

    /// What a client receives once its channel is open, in place of the answer to the `cmd` of its
    /// `init`, which the server does not get.
    struct Opening {
        let firing: Firing
        let answers: [[UInt8]]
    }

    /// The maximum number of delayed messages, and of their bytes.
    static let maxWaiting = 1024
    static let maxWaitingBytes = 16 << 20

    /// Whether a message of `size` bytes may be delayed too.
    func mayPostpone(_ size: Int) -> Bool {
        postponed.count < Self.maxWaiting
            && postponed.reduce(size) { $0 + $1.payload.count } <= Self.maxWaitingBytes
    }

    /// How often a message of so many bytes is repeated.
    static func copies(_ firing: Firing, of size: Int) -> Int {
        let wanted = Int(clamping: firing.action.integer("count") ?? 1)
        return min(max(wanted, 0), max(1, maxWaitingBytes / max(1, size)))
    }

    /// Schedules something for later, or returns false where it has to be done now.
    mutating func postpone(
        _ firing: Firing, at: Instant, _ what: Later.What, _ verdict: inout MessageVerdict
    ) -> Bool {
        guard firing.afterNanoseconds > 0, later.count < Self.maxWaiting else { return false }
        let due = Self.moment(at, after: firing.afterNanoseconds)
        later.append(Later(at: due, firing: firing, what: what))
        verdict.after.append(.wake(at: due))
        return true
    }

    /// Sends the postponed messages that fit.
    mutating func release(_ fits: (Postponed) -> Bool, _ commands: inout [GateCommand]) {
        guard !postponed.isEmpty else { return }
        let due = postponed.filter(fits)
        postponed.removeAll(where: fits)
        for item in due {
            if item.isCommand {
                make(item.payload, to: item.sender.other, draw: item.draw, into: &commands)
            } else {
                emit(
                    item.opcode, item.payload, to: item.sender.other, draw: item.draw,
                    into: &commands)
            }
        }
    }

    /// States the refusals whose change was never answered by the server.
    mutating func failRefusals(_ at: Instant, _ commands: inout [GateCommand]) {
        let left = refusals.values.filter { !$0.isDone }.map(\.firing)
        refusals = [:]
        for firing in Set(left).sorted(by: { ($0.rule, $0.occurrence) < ($1.rule, $1.occurrence) })
        {
            commands.append(
                failure(of: firing, .server, at, "the server did not answer the change"))
        }
    }

    /// Sends joined changes that wait for no others any more.
    mutating func finishJoining(
        _ fits: (Joining) -> Bool, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        guard !joining.isEmpty else { return }
        let due = joining.filter(fits)
        joining.removeAll(where: fits)
        for item in due {
            guard !item.texts.isEmpty else {
                commands.append(failure(of: item.firing, .server, at, "no change came"))
                continue
            }
            let text = ChangeJoining.joined(item.texts, channel: item.channel)
            commands.append(row(item.firing, .server, at))
            make(text, to: .client, draw: item.firing.draw, into: &commands)
        }
    }
}
