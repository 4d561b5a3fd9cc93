import Wire

/// A message with everything that was decoded of it.
struct MessageGroup {
    var message: MessageRow
    var frames: [FrameRow] = []
    var commands: [CommandRow] = []
    var changes: [ChangeRow] = []

    /// Bytes that it takes in memory, roughly.
    var heldBytes: Int {
        512 + message.payload.count + commands.reduce(0) { $0 + 256 + ($1.text?.count ?? 0) }
            + changes.count * 256
    }

    /// Whether two messages say the same, however they are framed and compressed.
    func isLike(_ other: MessageGroup) -> Bool {
        message.opcode == other.message.opcode && message.size == other.message.size
            && message.payload == other.message.payload
            && message.closeCode == other.message.closeCode
            && commands.count == other.commands.count
            && zip(commands, other.commands).allSatisfy { $0.says(sameAs: $1) }
    }

    /// Whether both came at the same time, which is that of their last bytes.
    ///
    /// What waits for the rest of its message is not late for that.
    func isAtTheSameTime(as other: MessageGroup) -> Bool {
        message.endedAt == other.message.endedAt
    }

    /// The group with numbers of its own.
    func numbered(by output: DissectorOutput) -> MessageGroup {
        var group = self
        let id = output.nextMessage()
        group.message.id = id
        for index in frames.indices { group.frames[index].message = id }
        var numbers: [CommandID: CommandID] = [:]
        for index in commands.indices {
            let number = output.nextCommand()
            numbers[commands[index].id] = number
            group.commands[index].id = number
            group.commands[index].message = id
        }
        for index in changes.indices {
            group.changes[index].command = numbers[changes[index].command] ?? CommandID(0)
        }
        return group
    }

    /// Marks all its rows as those of one side that the other does not have.
    ///
    /// - Parameters:
    ///   - side: Whose rows they are.
    ///   - fate: What became of the message.
    ///   - original: What was received before, of a repeated one.
    mutating func stand(alone side: Side, _ fate: Fate, original: RecentRows.Message? = nil) {
        message = message.marked(SideMark(side: side, fate: fate, counterpart: original?.id))
        let before = original?.commands.count == commands.count ? original?.commands : nil
        for index in commands.indices {
            commands[index] = commands[index].marked(
                SideMark(side: side, fate: fate, counterpart: before?[index]))
        }
        markChanges()
    }

    /// Marks its rows and those of the message that corresponds to it on the other side.
    ///
    /// Commands with the same text correspond to each other, and then the others in order.
    mutating func stand(on side: Side, _ fate: Fate, beside other: inout MessageGroup) {
        let otherSide: Side = side == .client ? .server : .client
        message = message.marked(
            SideMark(side: side, fate: fate, counterpart: other.message.id))
        other.message = other.message.marked(
            SideMark(side: otherSide, fate: fate, counterpart: message.id))
        let unchanged: Fate = fate == .late || !isAtTheSameTime(as: other) ? .late : .same
        var free = Array(other.commands.indices)
        var pairs: [(Int, Int, Fate)] = []
        var left: [Int] = []
        for index in commands.indices {
            if let place = free.firstIndex(where: {
                commands[index].says(sameAs: other.commands[$0])
                    && text(of: commands[index]) == other.text(of: other.commands[$0])
            }) {
                pairs.append((index, free.remove(at: place), unchanged))
            } else {
                left.append(index)
            }
        }
        pairs += zip(left, free).map { ($0, $1, .altered) }
        let isSender = Side(of: message.sender) == side
        for index in left.dropFirst(free.count) {
            commands[index] = commands[index].marked(
                SideMark(side: side, fate: isSender ? .lost : .synthesized))
        }
        for index in free.dropFirst(left.count) {
            other.commands[index] = other.commands[index].marked(
                SideMark(side: otherSide, fate: isSender ? .synthesized : .lost))
        }
        for (index, place, fate) in pairs {
            let (id, otherID) = (commands[index].id, other.commands[place].id)
            commands[index] = commands[index].marked(
                SideMark(side: side, fate: fate, counterpart: otherID))
            other.commands[place] = other.commands[place].marked(
                SideMark(side: otherSide, fate: fate, counterpart: id))
        }
        markChanges()
        other.markChanges()
    }

    /// The text of one of its commands.
    private func text(of command: CommandRow) -> [UInt8] { command.text ?? message.payload }

    private mutating func markChanges() {
        for index in changes.indices {
            guard let command = commands.first(where: { $0.id == changes[index].command }) else {
                continue
            }
            changes[index].side = command.side
            changes[index].fate = command.fate
        }
    }

    /// Passes on all its rows.
    func emit(to output: DissectorOutput) {
        for frame in frames { output.emit(.frame(frame)) }
        output.emit(.message(message))
        for command in commands {
            output.emit(.command(command))
            for change in changes where change.command == command.id {
                output.emit(.change(change))
            }
        }
    }
}

extension CommandRow {
    /// Whether two commands say the same on the same channel.
    fileprivate func says(sameAs other: CommandRow) -> Bool {
        channel == other.channel && name == other.name
            && text == other.text && payloadSize == other.payloadSize
    }
}

/// The messages of one side that are being put together from their rows.
struct MessageGroups {
    private var frames: [MessageID: [FrameRow]] = [:]
    private var done: [MessageGroup] = []

    /// Takes a row of the side, in order; those of other kinds are left out.
    mutating func take(_ row: DerivedRow) {
        switch row {
        case .frame(let row):
            // Beyond these a frame is counted only by its message.
            if frames[row.message, default: []].count < Self.kept {
                frames[row.message, default: []].append(row)
            }
        case .message(let row):
            done.append(
                MessageGroup(message: row, frames: frames.removeValue(forKey: row.id) ?? []))
        case .command(let row): if !done.isEmpty { done[done.count - 1].commands.append(row) }
        case .change(let row): if !done.isEmpty { done[done.count - 1].changes.append(row) }
        case .exchange, .body, .part, .openRosa, .caseBlock, .note: return
        }
    }

    private static let kept = 4_096

    /// The messages that are complete, which are no longer here.
    mutating func complete() -> [MessageGroup] {
        defer { done = [] }
        return done
    }
}
