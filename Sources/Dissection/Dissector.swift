public import Wire

/// Turns records into derived rows.
///
/// A value without I/O, clock or randomness: the same records in the same order give the same rows
/// with the same numbers, which is what makes the derived half of a trace rebuildable. It lives on
/// one thread, the writer's.
public struct Dissector {
    /// The version of the rows that it makes: higher with every change after which the same records
    /// give other rows.
    public static let version: Int64 = 1

    private let output: DissectorOutput
    private let limits: DissectionLimits
    private var conversations: [ConnectionID: SidedConversation] = [:]
    private var budget: HeldBudget

    /// A dissector that issues numbers from `first` on.
    public init(first: DissectorNumbers = .init(), limits: DissectionLimits = .init()) {
        output = DissectorOutput(numbers: first)
        self.limits = limits
        budget = HeldBudget(limit: limits.heldInAll)
    }

    /// Bytes that all that is in progress holds, as far as they grow with what peers send.
    package var heldBytes: Int { budget.total }
    /// Connections that have not ended.
    package var followed: Int { conversations.count }

    /// Exchanges that differ on both sides and are remembered for it.
    package var marked: Int { output.marks.count }
    /// Exchanges that are remembered since they changed.
    package var changed: Int { output.changedCount }

    /// How far HTTP of a connection is framed on the client's side; nil where it is not HTTP now.
    package func framing(of connection: ConnectionID) -> HTTPFraming? {
        conversations[connection]?.framing
    }

    /// The numbers that the next rows get.
    public var numbers: DissectorNumbers { output.numbers }

    /// Processes the next record.
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
            conversations[row.id] = SidedConversation(row, limits: limits, output: output)
        case .leg(let row):
            conversations[row.connection]?.add(row)
        case .chunk(let value):
            guard let chunk else { return }
            let its = conversation(value.connection)
            its.consume(value, id: chunk)
            account(its, value.connection, at: value.at)
        case .event(let event):
            guard let id = event.connection, let conversation = conversations[id] else { return }
            conversation.consume(event)
            account(conversation, id, at: event.at)
            if conversation.isOver { conversations[id] = nil }
        case .gap(let gap):
            guard let id = gap.connection, let conversation = conversations[id] else { return }
            conversation.lostBytes(gap)
            account(conversation, id, at: gap.at)
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
        budget = HeldBudget(limit: limits.heldInAll)
        output.flushOpen()
        output.trade(&rows)
    }

    /// Counts what a conversation holds after a record, and has the largest discard where all
    /// together hold too much.
    private mutating func account(
        _ conversation: SidedConversation, _ id: ConnectionID, at: Instant
    ) {
        // An ended conversation holds nothing.
        count(conversation, id, conversation.isOver ? 0 : conversation.heldBytes)
        guard budget.isExceeded else { return }
        for next in budget.largestFirst() {
            guard !budget.isEased else { return }
            guard let largest = conversations[next] else { continue }
            largest.shed(at: at, limit: limits.heldInAll)
            count(largest, next, largest.heldBytes)
        }
    }

    private mutating func count(_ conversation: SidedConversation, _ id: ConnectionID, _ held: Int)
    {
        guard held != conversation.accounted else { return }
        budget.change(id, from: conversation.accounted, to: held)
        conversation.accounted = held
    }

    /// The conversation of `id`, even where its connection row was released.
    private mutating func conversation(_ id: ConnectionID) -> SidedConversation {
        if let known = conversations[id] { return known }
        let row = ConnectionRow(
            id: id, at: .zero, listener: "", client: "", mode: .forward)
        let made = SidedConversation(row, limits: limits, output: output)
        conversations[id] = made
        return made
    }
}
