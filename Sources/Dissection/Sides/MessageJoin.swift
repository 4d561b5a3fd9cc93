import Wire

/// The WebSocket messages of both sides of a connection, each pair by where it begins, or where the
/// last fragment of one begins that was received in one frame.
struct MessageJoin {
    /// Where a message begins in what its sender sent.
    private struct Key: Hashable {
        let sender: Peer
        let place: Place
    }

    private var recent: RecentRows
    private var clientGroups = MessageGroups()
    private var serverGroups = MessageGroups()
    /// Marks of the rows of the client's side that the current record brought.
    private var marks: [MessageID: SideMark<MessageKind>] = [:]
    private var commandMarks: [CommandID: SideMark<CommandKind>] = [:]
    /// What is to be passed on after the rows of the client's side.
    private var due: [MessageGroup] = []
    /// The numbers of the server's messages that the current record brought.
    private var numbers: [MessageID: MessageID] = [:]

    init(recent: RecentRows) { self.recent = recent }

    /// The number that the trace has for a message of the server's side that came just now.
    func number(_ id: MessageID) -> MessageID? {
        numbers[id] ?? (id.rawValue < SideJoin.provisional.message ? id : nil)
    }

    // MARK: Taking

    mutating func note(_ rows: [DerivedRow], _ others: [DerivedRow]) {
        marks = [:]
        commandMarks = [:]
        numbers = [:]
        due = []
        // Rows are large, and those of HTTP alone are left alone.
        if rows.contains(where: \.isOfMessage) { for row in rows { clientGroups.take(row) } }
        if others.contains(where: \.isOfMessage) { for row in others { serverGroups.take(row) } }
    }

    // MARK: Deciding

    /// Decides about the messages that are complete.
    mutating func decide(
        exchanges: ExchangeJoin, lost: inout LostRows, _ output: DissectorOutput
    ) {
        let clients = clientGroups.complete()
        var servers: [MessageGroup?] = serverGroups.complete().map {
            var group = $0
            group.message.exchange =
                exchanges.number(group.message.exchange) ?? group.message.exchange
            return group
        }
        guard !clients.isEmpty || !servers.isEmpty else { return }
        var places: [Key: [Int]] = [:]
        for (index, group) in servers.enumerated().reversed() {
            guard let group else { continue }
            for key in Self.keys(group) { places[key, default: []].append(index) }
        }
        for client in clients {
            let index = Self.keys(client).lazy.compactMap {
                places[$0]?.last { servers[$0] != nil }
            }
            if let index = index.first, let server = servers[index] {
                servers[index] = nil
                join(client, server, output)
            } else {
                alone(client, .client, &lost, output)
            }
        }
        for case let server? in servers { alone(server, .server, &lost, output) }
    }

    /// Where it may stand in what its sender sent.
    private static func keys(_ group: MessageGroup) -> [Key] {
        let first = Key(sender: group.message.sender, place: group.message.place)
        guard group.frames.count > 1, let last = group.frames.last else { return [first] }
        return [first, Key(sender: group.message.sender, place: last.place)]
    }

    /// Both sides have a message.
    private mutating func join(
        _ client: MessageGroup, _ server: MessageGroup, _ output: DissectorOutput
    ) {
        let isSame = client.isLike(server)
        if isSame, client.isAtTheSameTime(as: server) {
            numbers[server.message.id] = client.message.id
            recent.append(client.message, client.commands.map(\.id))
            return
        }
        pair(client, server.numbered(by: output), isSame ? .late : .altered)
    }

    /// Marks the rows of two messages that correspond to each other.
    private mutating func pair(_ client: MessageGroup, _ server: MessageGroup, _ fate: Fate) {
        var (client, server) = (client, server)
        client.stand(on: .client, fate, beside: &server)
        marks[client.message.id] = SideMark(
            side: .client, fate: fate, counterpart: server.message.id)
        for command in client.commands {
            commandMarks[command.id] = SideMark(
                side: .client, fate: command.fate, counterpart: command.counterpart)
        }
        let received = client.message.sender == .client ? server : client
        recent.append(received.message, received.commands.map(\.id))
        due.append(server)
    }

    /// Only one side has a message.
    private mutating func alone(
        _ group: MessageGroup, _ side: Peer, _ lost: inout LostRows, _ output: DissectorOutput
    ) {
        var group = side == .server ? group.numbered(by: output) : group
        let sender = group.message.sender
        if sender == side {
            group.stand(alone: Side(of: side), .lost)
            lost.append(group)
        } else if var sent = lost.take(like: group) {
            // It is received after all, out of its place.
            group.stand(on: Side(of: side), .late, beside: &sent)
            due.append(sent)
            recent.append(group.message, group.commands.map(\.id))
        } else {
            let original = recent.first(like: group.message)
            group.stand(
                alone: Side(of: side), original == nil ? .synthesized : .repeated,
                original: original)
            recent.append(group.message, group.commands.map(\.id))
        }
        guard side == .client else { return due.append(group) }
        marks[group.message.id] = SideMark(
            side: .client, fate: group.message.fate, counterpart: group.message.counterpart)
        for command in group.commands {
            commandMarks[command.id] = SideMark(
                side: .client, fate: command.fate, counterpart: command.counterpart)
        }
    }

    // MARK: Giving

    /// A row of the client's side with its mark.
    func marked(_ row: DerivedRow) -> DerivedRow {
        guard !marks.isEmpty else { return row }
        switch row {
        case .message(let message):
            guard let mark = marks[message.id] else { return row }
            return .message(message.marked(mark))
        case .command(let command):
            guard let mark = commandMarks[command.id] else { return row }
            return .command(command.marked(mark))
        case .change(let change):
            guard let mark = commandMarks[change.command] else { return row }
            return .change(change.marked(mark))
        case .exchange, .body, .part, .openRosa, .caseBlock, .frame, .note:
            return row
        }
    }

    /// Passes on the rows of the server's side, and those that have changed.
    mutating func give(_ output: DissectorOutput) {
        for group in due { group.emit(to: output) }
        due = []
    }
}

extension DerivedRow {
    /// Whether it is a message of a WebSocket or part of one.
    fileprivate var isOfMessage: Bool {
        switch self {
        case .frame, .message, .command, .change: true
        case .exchange, .body, .part, .openRosa, .caseBlock, .note: false
        }
    }
}

extension MessageRow {
    func marked(_ mark: SideMark<MessageKind>) -> MessageRow {
        var row = self
        row.side = mark.side
        row.fate = mark.fate
        row.counterpart = mark.counterpart
        return row
    }
}

extension CommandRow {
    func marked(_ mark: SideMark<CommandKind>) -> CommandRow {
        var row = self
        row.side = mark.side
        row.fate = mark.fate
        row.counterpart = mark.counterpart
        return row
    }
}

extension ChangeRow {
    func marked(_ mark: SideMark<CommandKind>) -> ChangeRow {
        var row = self
        row.side = mark.side
        row.fate = mark.fate
        return row
    }
}
