import Filters
import Framing
import Wire

extension WebSocketGate {
    /// Whether messages that no rule can be about may pass unread.
    ///
    /// Not where others wait for them.
    func mayGlance(_ index: Int) -> Bool {
        !lanes[index].isOver && !lanes[index].isClosed && postponed.isEmpty && joining.isEmpty
            && holdings.isEmpty && refusals.isEmpty && openings.isEmpty
    }

    /// Inspects the frames from `first` on, where a message begins, from the outside.
    ///
    /// - Returns: How many bytes are messages that nothing is to be done about, and how many after
    ///   them are to be read: the next frame, or its beginning. Together at least 1.
    func glance(
        _ bytes: [UInt8], from first: Int, _ sender: Peer
    ) -> (passing: Int, read: Int) {
        let interest = session.interest
        let isIdle = !interest.contains(.command) && !interest.contains(.message)
        let takesContextOver = lanes[sender.rawValue].takesContextOver
        return bytes.withUnsafeBytes { bytes in
            var index = first
            while index + 2 <= bytes.count {
                let opening = bytes[index]
                let second = bytes[index + 1]
                let lengthSize = second & 0x7F < 126 ? 0 : second & 0x7F == 126 ? 2 : 8
                let isMasked = second & 0x80 != 0
                let head = 2 + lengthSize + (isMasked ? 4 : 0)
                guard index + head <= bytes.count else { break }
                var size = UInt64(second & 0x7F)
                if lengthSize > 0 {
                    size = 0
                    for place in 0..<lengthSize {
                        size = size << 8 | UInt64(bytes[index + 2 + place])
                    }
                }
                guard size <= UInt64(bytes.count - index - head) else { break }
                let payload = index + head
                let end = payload + Int(size)
                let opcode = WebSocketOpcode(rawValue: opening)
                // A server's message needs no inspection while there is no rule.
                if isIdle, sender == .server, opening & 0x80 != 0, opcode != .continuation,
                    !takesContextOver || opening & 0x70 == 0
                {
                    index = end
                    continue
                }
                // Whole, not compressed, and no fragment.
                guard opening & 0xF0 == 0x80, opcode != .continuation else {
                    return (index - first, end - index)
                }
                var key: UInt32 = 0
                if isMasked {
                    key = UInt32(
                        bigEndian: bytes.loadUnaligned(
                            fromByteOffset: payload - 4, as: UInt32.self))
                }
                var prefilter = MessagePrefilter(
                    sender: sender, opcode: opcode,
                    bytes: UnsafeRawBufferPointer(rebasing: bytes[payload..<end]), key: key)
                if concerns(&prefilter, interest, isIdle: isIdle) {
                    return (index - first, end - index)
                }
                index = end
            }
            return (index - first, bytes.count - index)
        }
    }

    /// Whether a message that was put together has to be read.
    func concerns(_ message: WebSocketMessage, from sender: Peer) -> Bool {
        message.payload.withUnsafeBytes {
            var prefilter = MessagePrefilter(
                sender: sender, opcode: message.opcode, bytes: $0, key: 0)
            return concerns(&prefilter, session.interest, isIdle: false)
        }
    }

    /// Whether a message has to be read.
    private func concerns(
        _ prefilter: inout MessagePrefilter, _ interest: FaultInterest, isIdle: Bool
    ) -> Bool {
        if prefilter.opcode == .text {
            switch conversation.form {
            case .unknown where prefilter.sender == .client: return true
            case .unknown, .other: break
            case .sockJS:
                if prefilter.sender == .client || interest.contains(.command) { return true }
            case .raw:
                prefilter.findName()
                if prefilter.sender == .client, prefilter.name == MessagePrefilter.opening {
                    return true
                }
                if interest.contains(.command),
                    prefilter.fits(conditions.commands, conversation.buckets)
                {
                    return true
                }
            }
        }
        return interest.contains(.message)
            && prefilter.fits(conditions.messages, conversation.buckets)
    }

    /// What the rules can be about.
    struct FilterConditions {
        var generation = 0
        var commands = FilterCondition.open
        var messages = FilterCondition.open
        /// Whether rules about messages only have somebody asked, whatever is odd about them.
        var onlyAsks = false
    }

    /// Notes rules that changed.
    mutating func refreshConditions() {
        let generation = session.generation
        guard generation != conditions.generation else { return }
        conditions = FilterConditions(
            generation: generation, commands: session.condition(in: .command),
            messages: session.condition(in: .message),
            onlyAsks: session.onlyAsks(in: .message))
    }
}
