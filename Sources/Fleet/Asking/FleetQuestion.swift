public import Filters
public import Trace

/// Which rows of a fleet are asked for.
public struct FleetQuestion: Sendable {
    /// Which of them; nil for all.
    public var filter: Filter?
    /// Which WebSocket messages are among them.
    public var messages: ListedMessages
    /// Whose conversation.
    public var side: LineSide
    /// The wall clock of the reader.
    public var clock: ClockOffsets

    /// The rows that `filter` holds for.
    public init(
        _ filter: Filter?, side: LineSide = .client, messages: ListedMessages? = nil,
        clock: ClockOffsets = .ofThisMachine
    ) {
        self.filter = filter
        self.messages = messages ?? ListedMessages(for: filter)
        self.side = side
        self.clock = clock
    }

    /// The condition for the rows of `subject`; nil where there are none.
    func condition(_ subject: FilterSubject) -> String? {
        let condition = filter?.clickHouse(for: subject, clock: clock) ?? .always
        guard condition != .never else { return nil }
        var parts = [condition.text]
        switch side {
        case .client: parts.append("side <> 'server'")
        case .server: parts.append("side <> 'client'")
        case .all: break
        }
        if subject == .message {
            switch messages {
            case .none: return nil
            case .all: break
            case .ofOtherProtocols:
                parts.append(
                    """
                    (recorder, exchange_id) IN (SELECT recorder, id FROM any_exchange \
                    WHERE status = 101 AND api = 'websocket')
                    """)
            }
        }
        return parts.joined(separator: " AND ")
    }
}

extension FilterSubject {
    /// The table with its rows.
    var fleetTable: String {
        switch self {
        case .exchange: "any_exchange"
        case .command: "any_command"
        case .message: "any_message"
        }
    }

    /// The column with the time that `at_unix_ns` is of, since the start of the session.
    var clockColumn: String { self == .exchange ? "started_ns" : "at_ns" }

    /// The column with the time of its line.
    var lineColumn: String {
        switch self {
        case .exchange: "started_ns"
        case .command: "at_ns"
        case .message: "ended_ns"
        }
    }
}
