internal import Wire

/// Puts the beginnings and ends of a recorded session in one order.
struct SchedulePlanner {
    /// A time of the recording; equal times go by rank and order.
    private struct Point: Comparable {
        enum Kind { case start, end }
        var time: Int64
        var rank: Int8
        var order: Int
        var kind: Kind
        var step: ReplaySchedule.Step

        static func < (a: Point, b: Point) -> Bool {
            (a.time, a.rank, a.order) < (b.time, b.rank, b.order)
        }

        static func == (a: Point, b: Point) -> Bool {
            (a.time, a.rank, a.order) == (b.time, b.rank, b.order)
        }
    }

    private let exchanges: [RecordedExchange]
    private let upgrades: [ExchangeID: ConnectionID]
    let commands: [RecordedCommand]
    private let sockets: [RecordedSocket]
    private let conversations: [ExchangeID: RecordedConversation]
    private let lost: Set<CommandID>
    /// Places in ``ReplaySchedule/starts`` by places in ``commands``; -1 for what has no turn.
    private(set) var turns: [Int32]

    init(
        _ exchanges: [RecordedExchange], _ upgrades: [ExchangeID: ConnectionID],
        _ commands: [RecordedCommand], _ sockets: [RecordedSocket],
        _ conversations: [RecordedConversation], lost: Set<CommandID>
    ) {
        self.exchanges = exchanges
        self.upgrades = upgrades
        self.commands = commands
        self.sockets = sockets
        self.conversations = Dictionary(
            conversations.map { ($0.exchange, $0) }, uniquingKeysWith: { $1 })
        self.lost = lost
        turns = Array(repeating: -1, count: commands.count)
    }

    // MARK: What ended before

    mutating func plan(into schedule: inout ReplaySchedule) {
        var points: [Point] = []
        points.reserveCapacity(2 * exchanges.count + commands.count)
        var opened: Set<ConnectionID> = []
        for (index, exchange) in exchanges.enumerated() {
            let start = exchange.startedAt.nanoseconds
            if let conversation = conversations[exchange.id] {
                add(conversation, from: start, number: index, to: &points)
                continue
            }
            if let socket = upgrades[exchange.id] {
                opened.insert(socket)
                points.append(
                    Point(
                        time: start, rank: 3, order: 2 * index, kind: .start, step: .socket(socket))
                )
                continue
            }
            points.append(
                Point(
                    time: start, rank: 3, order: 2 * index, kind: .start,
                    step: .exchange(exchange.id)))
            // Nothing can have waited for an answer that did not arrive.
            guard let end = exchange.endedAt?.nanoseconds else { continue }
            points.append(
                Point(
                    time: max(start, end), rank: end > start ? 0 : 3,
                    order: end > start ? index : 2 * index + 1, kind: .end,
                    step: .exchange(exchange.id)))
        }
        add(opened, to: &points)
        points.sort()
        number(points, into: &schedule)
    }

    /// Adds a WebSocket without Simperium: its opening, messages and end.
    private func add(
        _ conversation: RecordedConversation, from start: Int64, number: Int,
        to points: inout [Point]
    ) {
        let socket = ReplaySchedule.Step.conversation(conversation.exchange)
        points.append(Point(time: start, rank: 3, order: 2 * number, kind: .start, step: socket))
        var now = max(start + 1, conversation.openedAt.nanoseconds)
        points.append(
            Point(
                time: now, rank: 0, order: number, kind: .end,
                step: .exchange(conversation.exchange)))
        for message in conversation.messagesBeforeEnd {
            now = max(now, message.at.nanoseconds)
            points.append(
                Point(
                    time: now, rank: 1, order: Int(truncatingIfNeeded: message.id.rawValue),
                    kind: message.sender == .client ? .start : .end, step: .message(message.id)))
        }
        let end = (conversation.end ?? conversation.clientEnd)?.at.nanoseconds ?? now
        points.append(
            Point(time: max(now, end), rank: 2, order: number, kind: .end, step: socket))
    }

    private mutating func add(_ opened: Set<ConnectionID>, to points: inout [Point]) {
        var opened = opened
        var last: [ConnectionID: Int64] = [:]
        var now = Int64.min
        for (index, command) in commands.enumerated() {
            now = max(now, command.at.nanoseconds)
            if opened.insert(command.socket).inserted {
                points.append(
                    Point(
                        time: now, rank: 0, order: index, kind: .start,
                        step: .socket(command.socket)))
            }
            last[command.socket] = now
            guard !command.isFree, !lost.contains(command.id) else { continue }
            points.append(
                Point(
                    time: now, rank: 1, order: index,
                    kind: command.sender == .client ? .start : .end, step: .command(command.id)))
        }
        for socket in sockets {
            guard let end = socket.end?.at.nanoseconds, let known = last[socket.id] else {
                continue
            }
            last[socket.id] = max(known, end)
        }
        for (index, socket) in sockets.enumerated() {
            guard let time = last.removeValue(forKey: socket.id) else { continue }
            points.append(
                Point(time: time, rank: 2, order: index, kind: .end, step: .socket(socket.id)))
        }
        for (socket, time) in last {
            points.append(
                Point(
                    time: time, rank: 2, order: Int(truncatingIfNeeded: socket.rawValue),
                    kind: .end, step: .socket(socket)))
        }
    }

    private mutating func number(_ points: [Point], into schedule: inout ReplaySchedule) {
        var places: [CommandID: Int] = [:]
        places.reserveCapacity(commands.count)
        for (index, command) in commands.enumerated() { places[command.id] = index }
        var homes: [ReplaySchedule.Step: ReplaySchedule.Step] = [:]
        for conversation in conversations.values {
            let home = ReplaySchedule.Step.conversation(conversation.exchange)
            homes[.exchange(conversation.exchange)] = home
            for message in conversation.messages { homes[.message(message.id)] = home }
        }
        var before = points.first?.time ?? 0
        for point in points {
            switch point.kind {
            case .start:
                if case .command(let id) = point.step, let index = places[id] {
                    turns[index] = Int32(truncatingIfNeeded: schedule.starts.count)
                }
                var start = ReplaySchedule.Waiting(
                    start: .init(point.step, pause: max(0, point.time - before)),
                    need: Int32(truncatingIfNeeded: schedule.ends.count))
                if point.step.isSocket {
                    start.closed = Int32(truncatingIfNeeded: schedule.closes.count)
                }
                schedule.starts.append(start)
            case .end:
                if point.step.isSocket {
                    schedule.closes.append(point.step)
                    continue
                }
                let place = Int32(truncatingIfNeeded: schedule.ends.count)
                schedule.places[point.step] = place
                schedule.ends.append(point.step)
                if case .command(let id) = point.step, let index = places[id] {
                    let socket = ReplaySchedule.Step.socket(commands[index].socket)
                    schedule.served[socket, default: []].append(place)
                } else if let socket = homes[point.step] {
                    schedule.served[socket, default: []].append(place)
                }
                before = point.time
            }
        }
    }
}
