import Framing
package import Wire

/// Distinguishes what was sent from what was received, where faults altered or lost Simperium
/// commands.
///
/// Faults and commands are passed in order of time, a fault before the command it was applied to.
package struct TouchedCommands {
    private struct Way: Hashable {
        var socket: ConnectionID
        var sender: Peer
    }

    private var altered: [Way: [(came: [UInt8], sent: [UInt8])]] = [:]
    /// Commands of clients that were answered in the server's place.
    private var kept: [ConnectionID: [[UInt8]]] = [:]
    /// Commands of clients that are delayed.
    private var late: [ConnectionID: [[UInt8]]] = [:]
    /// The maximum number of delayed messages of a connection.
    private static let maxLate = 10_000

    /// Nothing was touched yet.
    package init() {}

    /// The outcome of a command that was not forwarded when it was received.
    package enum Fate {
        /// It was not delivered.
        case lost
        /// It is forwarded later, when Tapedeck sends it again.
        case late
    }

    /// Takes a fault that was applied to a message.
    ///
    /// - Returns: The commands that were lost by it, and those of clients that are forwarded later.
    package mutating func take(
        _ effect: FaultEffect, socket: ConnectionID, sender: Peer, came: [UInt8], sent: [UInt8]
    ) -> [(text: [UInt8], fate: Fate)] {
        guard !came.isEmpty else { return [] }
        if effect.contains(.lost) || effect.contains(.altered) && sent.isEmpty {
            return Self.commands(came, sender).map { ($0, .lost) }
        }
        if effect.contains(.answered) {
            kept[socket, default: []].append(came)
        } else if effect.contains(.altered) {
            guard came != sent else { return [] }
            altered[Way(socket: socket, sender: sender), default: []].append((came, sent))
        } else if effect.contains(.delayed), sent.isEmpty, sender == .client,
            late[socket]?.count ?? 0 < Self.maxLate
        {
            let commands = Self.commands(came, sender)
            late[socket, default: []] += commands
            return commands.map { ($0, .late) }
        }
        return []
    }

    /// Takes a command as the trace has it.
    ///
    /// - Returns: What was sent, nil where Tapedeck made it, and what was received, nil where it
    ///   was kept from the receiver.
    package mutating func take(
        _ text: [UInt8], socket: ConnectionID, sender: Peer, isMade: Bool
    ) -> (sent: [UInt8]?, received: [UInt8]?) {
        if isMade {
            _ = goesOn(text, socket: socket, sender: sender)
            return (nil, text)
        }
        var received: [UInt8]? = text
        let sent = original(of: text, Way(socket: socket, sender: sender)) ?? text
        if sender == .client, !kept.isEmpty, let index = kept[socket]?.firstIndex(of: text) {
            kept[socket]?.remove(at: index)
            received = nil
        }
        return (sent, received)
    }

    /// Whether a command that Tapedeck sent is a delayed one; it is removed then.
    package mutating func goesOn(_ text: [UInt8], socket: ConnectionID, sender: Peer) -> Bool {
        guard sender == .client, let index = late[socket]?.firstIndex(of: text) else {
            return false
        }
        late[socket]?.remove(at: index)
        return true
    }

    /// The original of a message that a fault altered.
    private mutating func original(of text: [UInt8], _ way: Way) -> [UInt8]? {
        guard !altered.isEmpty, let list = altered[way],
            let last = list.lastIndex(where: { $0.sent == text })
        else { return nil }
        // Several faults to one message are a chain.
        var first = last
        while first > 0, list[first - 1].sent == list[first].came { first -= 1 }
        altered[way]?.removeSubrange(first...last)
        if altered[way]?.isEmpty == true { altered[way] = nil }
        return list[first].came
    }

    /// The commands of a message, out of any SockJS frame.
    private static func commands(_ message: [UInt8], _ sender: Peer) -> [[UInt8]] {
        guard let first = message.first, first == 0x61 || first == 0x5B else { return [message] }
        do {
            switch sender {
            case .client:
                return try SockJSFrame.parse(client: message.span).map(\.text)
            case .server:
                guard case .messages(let all) = try SockJSFrame.parse(server: message.span) else {
                    return []
                }
                return all.map(\.text)
            }
        } catch { return [message] }
    }
}
