public import Dissection
public import Wire

/// A session as stored.
public struct SessionDetail: Hashable, Sendable {
    /// Number of the session.
    public var id: SessionID
    /// Wall clock at its start, nanoseconds since 1970 UTC.
    public var startedUnixNanoseconds: Int64
    /// The source of its bytes: `proxy`, `capture`, `pcap` or `har`.
    public var provenance: String
    /// Version of the program that wrote it.
    public var version: String
    /// Its command line.
    public var arguments: String
    /// Random seed of its faults; nil without faults.
    public var seed: UInt64?
    /// When it ended; nil while it runs, and for ever if it was killed.
    public var endedAt: Instant?
    /// How it ended.
    public var ended: String?
}

/// An exchange with all its rows.
public struct ExchangeDetail: Hashable, Sendable {
    /// The session.
    public var session: SessionID
    /// The exchange.
    public var row: ExchangeRow
    /// Head and content of the request, once it is complete or cut.
    public var request: BodyRow?
    /// Head and content of the response, once it is complete or cut.
    public var response: BodyRow?
    /// Parts of multipart bodies, the request's first.
    public var parts: [PartRow] = []
    /// OpenRosa documents, the request's first.
    public var documents: [OpenRosaRow] = []
    /// Notes about its bytes.
    public var notes: [NoteRow] = []
    /// Notes about messages of the WebSocket that it opened.
    public var messageNotes: [EqualNotes] = []
    /// Faults applied to it, with their verdicts.
    public var faults: [FaultDetail] = []
    /// Findings that it shows.
    public var findings: [FindingDetail] = []
    /// What was waited for since then, and could not be decided.
    public var undecided: [UndecidedDetail] = []
}

/// Notes that say the same.
public struct EqualNotes: Hashable, Sendable {
    /// The first of them.
    public var first: NoteRow
    /// How many there are, at least 1.
    public var count: Int
}

/// A message with all its rows.
public struct MessageDetail: Hashable, Sendable {
    /// The session.
    public var session: SessionID
    /// The message.
    public var row: MessageRow
    /// Its frames in order, the first 10,000 of them.
    public var frames: [FrameRow] = []
    /// The Simperium commands in it.
    public var commands: [CommandRow] = []
    /// Notes about it.
    public var notes: [NoteRow] = []
    /// Faults applied to it, with their verdicts.
    public var faults: [FaultDetail] = []
    /// Findings that it shows.
    public var findings: [FindingDetail] = []
    /// What was waited for since then, and could not be decided.
    public var undecided: [UndecidedDetail] = []
}

/// A Simperium command with all its rows.
public struct CommandDetail: Hashable, Sendable {
    /// The session.
    public var session: SessionID
    /// The command.
    public var row: CommandRow
    /// The whole command: channel, name and payload.
    public var text: [UInt8]
    /// The changes of a `c`.
    public var changes: [ChangeRow] = []
    /// Notes about its message.
    public var notes: [NoteRow] = []
    /// Faults applied to its message, with their verdicts.
    public var faults: [FaultDetail] = []
    /// Findings that its message shows.
    public var findings: [FindingDetail] = []
    /// What was waited for since then, and could not be decided.
    public var undecided: [UndecidedDetail] = []

    /// What follows the name and its colon.
    public var payload: ArraySlice<UInt8> {
        let start = min(max(0, row.payloadOffset), text.count)
        return text[start..<min(text.count, start + max(0, row.payloadSize))]
    }
}

/// A connection with its rows apart from bytes.
public struct ConnectionDetail: Hashable, Sendable {
    /// The session.
    public var session: SessionID
    /// The connection.
    public var row: ConnectionRow
    /// Its TCP connections.
    public var legs: [LegRow] = []
    /// Its events.
    public var events: [EventRow] = []
    /// Its gaps.
    public var gaps: [GapRow] = []
    /// Faults applied to it and to its traffic, with their verdicts.
    public var faults: [FaultDetail] = []
}
