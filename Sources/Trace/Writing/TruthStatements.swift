internal import Storage
internal import Wire

/// Writes recorded rows and statements, one prepared statement for each table.
final class TruthStatements {
    private let tables: InsertionGroup
    private let connection: Insertion<ConnectionRow>
    private let leg: Insertion<LegRow>
    private let chunk: Insertion<Chunk>
    private let patch: Insertion<Patch>
    private let delivery: Insertion<Delivery>
    private let event: Insertion<EventRow>
    private let gap: Insertion<GapRow>
    private let mark: Insertion<MarkRow>
    private let fault: Insertion<FaultRow>
    private let finding: Insertion<FindingRow>
    private let packet: Insertion<PacketRow>
    private let secret: Insertion<SecretRow>

    init(_ db: Connection) throws(StorageFault) {
        var tables = InsertionGroup(db)
        connection = try tables.insertion(Tables.connection)
        leg = try tables.insertion(Tables.leg)
        chunk = try tables.insertion(Tables.chunk)
        patch = try tables.insertion(Tables.patch)
        delivery = try tables.insertion(Tables.delivery)
        event = try tables.insertion(Tables.event)
        gap = try tables.insertion(Tables.gap)
        mark = try tables.insertion(Tables.mark)
        fault = try tables.insertion(Tables.fault)
        finding = try tables.insertion(Tables.finding)
        packet = try tables.insertion(Tables.packet)
        secret = try tables.insertion(Tables.secret)
        self.tables = tables
    }

    /// Writes one record of `session`, at the latest with ``flush()``, and moves `position` past it.
    ///
    /// `places` are the chunks of the faults to come, in their order.
    func write(
        _ record: borrowing Record, session: Int64, places: inout ArraySlice<ChunkID?>,
        at position: inout WritePosition
    ) throws(StorageFault) {
        var context = RowContext(session: session)
        switch record {
        case .chunk(let row): try write(row, context, at: &position)
        case .connection(let row):
            position.counters.connection = max(position.counters.connection, row.id.rawValue + 1)
            position.passRow(&context)
            try connection.add(row, context)
        case .leg(let row):
            position.counters.leg = max(position.counters.leg, row.id.rawValue + 1)
            position.passRow(&context)
            try leg.add(row, context)
        case .event(let row):
            context.id = Counters.take(&position.counters.event)
            position.passRow(&context)
            try event.add(row, context)
        case .gap(let row):
            context.id = Counters.take(&position.counters.gap)
            position.passRow(&context)
            try gap.add(row, context)
        case .mark(let row):
            context.id = Counters.take(&position.counters.mark)
            try mark.add(row, context)
        case .fault(var row):
            row.chunk = row.chunk ?? places.popFirst() ?? nil
            context.id = Counters.take(&position.counters.fault)
            try fault.add(row, context)
        case .finding(let row):
            context.id = Counters.take(&position.counters.finding)
            try finding.add(row, context)
        case .packet(let row):
            context.id = Counters.take(&position.counters.packet)
            position.passRow(&context)
            try packet.add(row, context)
        case .secret(let row):
            context.id = Counters.take(&position.counters.secret)
            position.passRow(&context)
            try secret.add(row, context)
        }
    }

    /// Writes the rows that wait.
    func flush() throws(StorageFault) { try tables.flush() }

    /// Forgets the rows that wait.
    func discard() { tables.discard() }

    private func write(
        _ row: Chunk, _ context: RowContext, at position: inout WritePosition
    ) throws(StorageFault) {
        var context = context
        let id = Counters.take(&position.counters.chunk)
        position.lastChunk = id
        position.step = 0
        context.id = id
        try chunk.add(row, context)
        context.owner = id
        for (place, change) in row.patches.enumerated() {
            context.id = Tables.share * id + Int64(place)
            try patch.add(change, context)
        }
        for (place, each) in row.deliveries.enumerated() {
            context.id = Tables.share * id + Int64(place)
            try delivery.add(each, context)
        }
    }
}

extension WritePosition {
    /// Moves past a row that is not a chunk, and returns its place.
    mutating func passRow(_ context: inout RowContext) {
        context.lastChunk = lastChunk
        context.step = nextStep()
    }
}
