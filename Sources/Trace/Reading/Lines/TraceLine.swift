public import Dissection
public import Wire

/// A line of a listing; in a box, since lines change hands several times.
public indirect enum TraceLine: Hashable, Sendable {
    /// An exchange and its session.
    case exchange(SessionID, ExchangeRow)
    /// A Simperium command and its session; its text is there only where ``LineDetail`` says so.
    case command(SessionID, CommandRow)
    /// A WebSocket message and its session.
    case message(SessionID, MessageRow)

    /// The session.
    public var session: SessionID {
        switch self {
        case .exchange(let session, _), .command(let session, _), .message(let session, _): session
        }
    }

    /// The position of the line in a listing.
    public var at: Instant {
        switch self {
        case .exchange(_, let row): row.startedAt
        case .command(_, let row): row.at
        case .message(_, let row): row.endedAt
        }
    }

    /// The number of the exchange, command or message.
    var id: Int64 {
        switch self {
        case .exchange(_, let row): row.id.rawValue
        case .command(_, let row): row.id.rawValue
        case .message(_, let row): row.id.rawValue
        }
    }

    /// Whether this line precedes `other`: by session, time, kind and number.
    package func precedes(_ other: TraceLine) -> Bool {
        if session != other.session { return session < other.session }
        if at != other.at { return at < other.at }
        return rank == other.rank ? id < other.id : rank < other.rank
    }

    /// The place of its kind among lines of one time.
    private var rank: Int {
        switch self {
        case .exchange: 0
        case .message: 1
        case .command: 2
        }
    }
}
