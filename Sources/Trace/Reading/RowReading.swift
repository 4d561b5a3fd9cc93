internal import Dissection
internal import Storage
internal import Wire

extension Statement {
    func peer(_ column: Int32) -> Peer { Peer(rawValue: Int(integer(column))) ?? .client }

    func instant(_ column: Int32) -> Instant { Instant(nanoseconds: integer(column)) }

    func optionalInstant(_ column: Int32) -> Instant? {
        optionalInteger(column).map(Instant.init(nanoseconds:))
    }

    func int(_ column: Int32) -> Int { Int(integer(column)) }

    func optionalInt(_ column: Int32) -> Int? { optionalInteger(column).map { Int($0) } }

    func place(_ column: Int32) -> Place {
        Place(chunk: ChunkID(integer(column)), offset: int(column + 1))
    }

    func optionalPlace(_ column: Int32) -> Place? { isNull(column) ? nil : place(column) }

    /// A row of `SELECT * FROM http_exchange`.
    func exchange() -> ExchangeRow {
        var row = ExchangeRow(
            id: ExchangeID(integer(0)), connection: ConnectionID(integer(2)), api: string(4),
            method: string(5), scheme: string(6), host: string(7), port: int(8), path: string(9),
            query: optionalString(10), version: string(11), startedAt: instant(14),
            requestPlace: place(25))
        row.serverLeg = optionalInteger(3).map { LegID($0) }
        row.status = optionalInt(12)
        row.reason = optionalString(13)
        row.requestEndedAt = optionalInstant(15)
        row.respondedAt = optionalInstant(16)
        row.endedAt = optionalInstant(17)
        row.requestSize = integer(18)
        row.responseSize = integer(19)
        row.outcome = ExchangeRow.Outcome(rawValue: string(20)) ?? .open
        row.problem = optionalString(21)
        row.retryAfter = optionalString(22)
        row.device = optionalString(23)
        row.isLocal = integer(24) != 0
        row.responsePlace = optionalPlace(27)
        row.user = optionalString(29)
        return row
    }

    /// A row of `SELECT * FROM body`.
    func body() -> BodyRow {
        BodyRow(
            exchange: ExchangeID(integer(1)), sender: peer(2), head: bytes(3), trailers: bytes(4),
            content: bytes(5), isText: isText(5), size: integer(6), wireSize: integer(7),
            coding: string(8), contentType: optionalString(9), problem: optionalString(10))
    }

    /// A row of `SELECT * FROM part`.
    func part() -> PartRow {
        PartRow(
            exchange: ExchangeID(integer(1)), sender: peer(2), position: int(3),
            name: optionalString(4), filename: optionalString(5), contentType: optionalString(6),
            size: integer(7), offset: integer(8))
    }

    /// A row of `SELECT * FROM openrosa`.
    func document() -> OpenRosaRow {
        var row = OpenRosaRow(
            exchange: ExchangeID(integer(1)), sender: peer(2), part: optionalInt(3),
            kind: string(4), root: string(5))
        row.namespace = optionalString(6)
        row.nature = optionalString(7)
        row.says = optionalString(8)
        row.key = optionalString(9)
        row.items = optionalString(10)
        row.done = optionalString(11)
        row.total = optionalString(12)
        row.restoreID = optionalString(13)
        row.instanceID = optionalString(14)
        row.cases = int(15)
        row.fixtures = int(16)
        row.ledgers = int(17)
        row.problem = optionalString(18)
        row.owners = optionalString(19)
        return row
    }

    /// A row of `SELECT * FROM frame`.
    func frame() -> FrameRow {
        FrameRow(
            message: MessageID(integer(1)), connection: ConnectionID(integer(2)), sender: peer(3),
            at: instant(4), position: int(5), fin: integer(6) != 0, rsv: int(7), opcode: int(8),
            mask: optionalInteger(9).map { UInt32(truncatingIfNeeded: $0) }, headerSize: int(10),
            payloadSize: integer(11), place: place(12))
    }

    /// A row of `SELECT * FROM message`, whose columns begin at `first`.
    func message(from first: Int32 = 0) -> MessageRow {
        MessageRow(
            id: MessageID(integer(first)), connection: ConnectionID(integer(first + 2)),
            exchange: ExchangeID(integer(first + 3)), sender: peer(first + 4),
            at: instant(first + 5), endedAt: instant(first + 6), opcode: int(first + 7),
            payload: bytes(first + 8), isText: isText(first + 8), size: integer(first + 9),
            wireSize: integer(first + 10), isCompressed: integer(first + 11) != 0,
            frames: int(first + 12), closeCode: optionalInt(first + 13),
            problem: optionalString(first + 14), place: place(first + 15))
    }

    /// A row of `SELECT * FROM simperium_command`.
    func command() -> CommandRow {
        CommandRow(
            id: CommandID(integer(0)), message: MessageID(integer(2)),
            connection: ConnectionID(integer(3)), position: int(4), sender: peer(5),
            at: instant(6), channel: optionalInt(7), name: string(8), bucket: optionalString(9),
            app: optionalString(10), text: isNull(11) ? nil : bytes(11), payloadOffset: int(12),
            payloadSize: int(13), key: optionalString(14), cv: optionalString(15),
            error: optionalInt(16), problem: optionalString(17))
    }

    /// A row of `SELECT * FROM change`.
    func change() -> ChangeRow {
        ChangeRow(
            command: CommandID(integer(1)), position: int(2), bucket: optionalString(3),
            key: optionalString(4), operation: optionalString(5), sv: optionalInteger(6),
            ev: optionalInteger(7), cv: optionalString(8), ccid: optionalString(9),
            clientID: optionalString(10), error: optionalInt(11), offset: int(12), size: int(13))
    }

    /// A row of `SELECT * FROM note`.
    func note() -> NoteRow {
        NoteRow(
            connection: ConnectionID(integer(2)),
            exchange: optionalInteger(3).map { ExchangeID($0) },
            message: optionalInteger(4).map { MessageID($0) }, sender: peer(5), at: instant(6),
            place: place(7), code: string(9), says: string(10))
    }

    /// A row of `SELECT * FROM connection`.
    func connectionRow() -> ConnectionRow {
        ConnectionRow(
            id: ConnectionID(integer(0)), at: instant(2), listener: string(3), client: string(4),
            mode: ConnectionRow.Mode(rawValue: string(5)) ?? .forward)
    }

    /// A row of `SELECT * FROM leg`.
    func leg() -> LegRow {
        LegRow(
            id: LegID(integer(0)), connection: ConnectionID(integer(1)), peer: peer(2),
            at: instant(3), host: string(4), port: int(5), isTLS: optionalInteger(8).map { $0 == 1 }
        )
    }

    /// A row of `SELECT * FROM event`.
    func event() -> EventRow {
        EventRow(
            EventRow.Kind(rawValue: string(7)) ?? .warning,
            connection: optionalInteger(2).map { ConnectionID($0) },
            leg: optionalInteger(3).map { LegID($0) }, at: instant(6), says: string(8))
    }

    /// A row of `SELECT * FROM gap`.
    func gap() -> GapRow {
        GapRow(
            connection: optionalInteger(2).map { ConnectionID($0) },
            leg: optionalInteger(3).map { LegID($0) },
            sender: optionalInt(4).flatMap(Peer.init(rawValue:)), at: instant(7),
            until: instant(8), count: integer(9), chunks: integer(10),
            reason: GapRow.Reason(rawValue: string(11)) ?? .notCaptured)
    }

    /// A row of `SELECT * FROM chunk`, without its patches.
    func chunk() -> Chunk {
        Chunk(
            connection: ConnectionID(integer(1)), leg: LegID(integer(2)), sender: peer(3),
            origin: Chunk.Origin(rawValue: int(4)) ?? .peer, at: instant(5), bytes: bytes(6))
    }

    /// A row of `SELECT * FROM patch`.
    func patch() -> Patch {
        Patch(
            offset: int(2), removed: int(3), inserted: bytes(4),
            reason: Patch.Reason(rawValue: string(5)) ?? .fault)
    }
}
