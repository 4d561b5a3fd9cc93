public import Wire

/// Turns records into derived rows.
///
/// A value without I/O, clock or randomness: the same records in the same order give the same rows
/// with the same numbers, which is what makes the derived half of a trace rebuildable. It lives on
/// one thread, the writer's.
public struct Dissector {
    private let output: DissectorOutput
    private let limits: DissectionLimits
    private var conversations: [ConnectionID: Conversation] = [:]

    /// A dissector that gives out numbers from `first` on.
    public init(first: DissectorNumbers = .init(), limits: DissectionLimits = .init()) {
        output = DissectorOutput(numbers: first)
        self.limits = limits
    }

    /// The numbers that the next rows get.
    public var numbers: DissectorNumbers { output.numbers }

    /// Takes the next record.
    ///
    /// - Parameters:
    ///   - record: Records of one connection in the order in which they happened.
    ///   - chunk: The number of the chunk, if the record is one.
    ///   - rows: Gets the rows that are complete now.
    public mutating func consume(
        _ record: Record, chunk: ChunkID?, into rows: inout [DerivedRow]
    ) {
        output.trade(&rows)
        defer { output.trade(&rows) }
        switch record {
        case .connection(let row):
            conversations[row.id] = Conversation(row, limits: limits, output: output)
        case .leg(let row):
            conversations[row.connection]?.add(row)
        case .chunk(let value):
            guard let chunk else { return }
            conversation(value.connection).consume(value, id: chunk)
        case .event(let event):
            guard let id = event.connection, let conversation = conversations[id] else { return }
            conversation.consume(event)
            if conversation.isOver { conversations[id] = nil }
        case .gap(let gap):
            guard let id = gap.connection, let conversation = conversations[id] else { return }
            conversation.lostBytes(gap)
        case .mark, .fault, .finding, .packet, .secret:
            return
        }
    }

    /// Gives the exchanges that are still open and changed since the last call.
    public mutating func flush(into rows: inout [DerivedRow]) {
        output.trade(&rows)
        output.flushOpen()
        output.trade(&rows)
    }

    /// Closes everything that is still open, because the session ended at `at`.
    public mutating func finish(at: Instant, into rows: inout [DerivedRow]) {
        output.trade(&rows)
        for id in conversations.keys.sorted() {
            conversations[id]?.finish(at: at, why: "the session ended")
        }
        conversations = [:]
        output.flushOpen()
        output.trade(&rows)
    }

    /// The conversation of `id`, even where its connection row was let go.
    private mutating func conversation(_ id: ConnectionID) -> Conversation {
        if let known = conversations[id] { return known }
        let row = ConnectionRow(
            id: id, at: .zero, listener: "", client: "", mode: .forward)
        let made = Conversation(row, limits: limits, output: output)
        conversations[id] = made
        return made
    }
}
