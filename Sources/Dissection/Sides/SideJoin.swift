import Wire

/// Tells apart what both sides of a connection had alike and what differs, while each is decoded by
/// itself.
///
/// What is alike is identified by where it begins in what its sender sent, which is a place in a
/// chunk on both sides. The rows of the client's side pass through; those of the server's side get
/// numbers and are passed on only where they differ. Both sides process the same records in step,
/// so that a difference at the end of a record is one for good, and the numbers do not depend on
/// how records are batched.
struct SideJoin {
    /// The numbers from which the rows of the server's side are counted until they have their own.
    static let provisional = DissectorNumbers(
        exchange: 1 << 62, message: 1 << 62, command: 1 << 62)

    private var exchanges: ExchangeJoin
    private var messages: MessageJoin

    /// What was lost, also before the sides came apart.
    private(set) var lost: LostRows

    init(recent: RecentRows, lost: LostRows) {
        self.lost = lost
        exchanges = ExchangeJoin(last: recent.exchange)
        messages = MessageJoin(recent: recent)
    }

    /// Bytes that it holds, roughly.
    var heldBytes: Int { exchanges.heldBytes + lost.heldBytes }

    /// Whether everything that differed is over.
    var isSettled: Bool { exchanges.isSettled }

    /// Takes what the server's side has of what is open, which is alike on both sides.
    mutating func begin(with rows: [DerivedRow], client: [ExchangeRow], server: [ExchangeRow]) {
        exchanges.begin(with: rows, client: client, server: server)
    }

    /// Passes on what one record gave on each side.
    mutating func take(
        _ rows: [DerivedRow], _ others: [DerivedRow], client: Conversation, server: Conversation,
        isReached: Bool, _ output: DissectorOutput
    ) {
        exchanges.isReached = isReached
        exchanges.note(rows, others, client: client.open, server: server.open)
        exchanges.decide(lost: &lost, output)
        messages.note(rows, others)
        messages.decide(exchanges: exchanges, lost: &lost, output)
        for row in rows { output.emit(messages.marked(row)) }
        exchanges.give(output)
        messages.give(output)
        giveNotes(rows, others, output)
    }

    /// Forgets what it has marked, since nothing follows.
    func finish(_ output: DissectorOutput) { exchanges.finish(output) }

    /// These exchanges of the server's side were never received.
    mutating func forget(_ ids: [ExchangeID], _ output: DissectorOutput) {
        exchanges.forget(ids)
        exchanges.decide(lost: &lost, output)
        exchanges.give(output)
    }

    /// Remarks about the server's side that the client's does not have.
    private func giveNotes(
        _ rows: [DerivedRow], _ others: [DerivedRow], _ output: DissectorOutput
    ) {
        guard others.contains(where: { if case .note = $0 { true } else { false } }) else { return }
        var known: Set<NoteKey> = []
        for case .note(let note) in rows { known.insert(NoteKey(note)) }
        for case .note(var note) in others where !known.contains(NoteKey(note)) {
            note.exchange = note.exchange.flatMap(exchanges.number)
            note.message = note.message.flatMap(messages.number)
            output.emit(.note(note))
        }
    }

    /// What makes a remark the same on both sides.
    private struct NoteKey: Hashable {
        let code: String
        let place: Place
        let sender: Peer

        init(_ note: NoteRow) {
            (code, place, sender) = (note.code, note.place, note.sender)
        }
    }
}
