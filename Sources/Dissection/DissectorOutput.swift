import Framing
import Wire

/// Where the decoders of one dissector put their rows and get their numbers.
///
/// Shared by all conversations of a dissector and used on its thread alone.
package final class DissectorOutput {
    /// Gets the rows of the server's side of a conversation whose sides differ, with their own numbers.
    ///
    /// Empty between two records; only the output of a dissector has one.
    private(set) lazy var ofServer = DissectorOutput(numbers: SideJoin.provisional)

    // Safety of all that follows: nothing that is called here calls anything but this.

    /// The heads that were read lately, for those that come again.
    let known = HTTPKnownHeads()
    /// What these say.
    @exclusivity(unchecked) var requestFacts = HeadFacts<RequestFacts>()
    @exclusivity(unchecked) var responseFacts = HeadFacts<ResponseFacts>()

    @exclusivity(unchecked) private(set) var numbers: DissectorNumbers
    @exclusivity(unchecked) private var rows: [DerivedRow] = []
    @exclusivity(unchecked) private var changed: [OpenExchange] = []
    /// How many of these there are before those are looked for that are finished.
    @exclusivity(unchecked) private var mostChanged = leastChanged
    private static let leastChanged = 256
    /// Room for rows, since they are large.
    @exclusivity(unchecked) private var spare: [DerivedRow] = []
    private static let mostSpare = 256
    /// The exchanges that are not the same on both sides and may still change.
    @exclusivity(unchecked) var marks: [ExchangeID: SideMark<ExchangeKind>] = [:]

    package init(numbers: DissectorNumbers) { self.numbers = numbers }

    /// Adds a finished row.
    func emit(_ row: DerivedRow) {
        if !marks.isEmpty, case .exchange(let exchange) = row, let mark = marks[exchange.id] {
            rows.append(.exchange(exchange.marked(mark)))
        } else {
            rows.append(row)
        }
    }

    /// How many rows are gathered here.
    var count: Int { rows.count }

    /// The rows gathered here behind the first `count`.
    func rows(behind count: Int) -> ArraySlice<DerivedRow> { rows[count...] }

    /// Keeps that the row of `exchange`, which is not finished, has changed.
    ///
    /// Whoever changes a row has to call this, but for content that is added to its sizes: what comes
    /// later is in no row before the next change, so that rows do not depend on where a batch ends.
    func touch(_ exchange: OpenExchange) {
        if exchange.changedSizes == nil {
            if changed.count >= mostChanged { forgetFinished() }
            changed.append(exchange)
        }
        exchange.changedSizes = (exchange.row.requestSize, exchange.row.responseSize)
    }

    /// Forgets those that are finished by now, of which there are many where nobody asks for the rows
    /// of open ones.
    private func forgetFinished() {
        for exchange in changed where exchange.isFinished { exchange.changedSizes = nil }
        changed.removeAll(where: \.isFinished)
        mostChanged = max(Self.leastChanged, 2 * changed.count)
    }

    /// How many exchanges are remembered since they changed.
    var changedCount: Int { changed.count }

    /// Adds the rows of exchanges that changed and are not finished.
    func flushOpen() {
        for exchange in changed {
            if let sizes = exchange.changedSizes, !exchange.isFinished {
                var row = exchange.row
                (row.requestSize, row.responseSize) = sizes
                emit(.exchange(row))
            }
            exchange.changedSizes = nil
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Forgets which exchanges changed.
    func dropOpen() {
        for exchange in changed { exchange.changedSizes = nil }
        changed.removeAll(keepingCapacity: true)
    }

    /// Gathers rows in an array with room, and returns those so far.
    func begin() -> [DerivedRow] {
        var earlier: [DerivedRow] = []
        swap(&spare, &earlier)
        swap(&rows, &earlier)
        return earlier
    }

    /// Puts rows of before back, and returns those gathered since.
    func end(_ earlier: inout [DerivedRow]) -> [DerivedRow] {
        swap(&rows, &earlier)
        var gathered: [DerivedRow] = []
        swap(&gathered, &earlier)
        return gathered
    }

    /// Takes back an array that is used no more, for the next rows to be gathered.
    func reuse(_ used: inout [DerivedRow]) {
        used.removeAll(keepingCapacity: used.capacity <= Self.mostSpare)
        swap(&spare, &used)
    }

    /// Trades the rows gathered here for `other`.
    ///
    /// Rows are large; lent for the length of a call, an array grows without moving what it has.
    package func trade(_ other: inout [DerivedRow]) { swap(&rows, &other) }

    /// A number for an exchange.
    func nextExchange() -> ExchangeID {
        defer { numbers.exchange += 1 }
        return ExchangeID(numbers.exchange)
    }

    /// A number for a message.
    func nextMessage() -> MessageID {
        defer { numbers.message += 1 }
        return MessageID(numbers.message)
    }

    /// A number for a command.
    func nextCommand() -> CommandID {
        defer { numbers.command += 1 }
        return CommandID(numbers.command)
    }
}

extension ExchangeRow {
    /// The row on its side.
    func marked(_ mark: SideMark<ExchangeKind>) -> ExchangeRow {
        var row = self
        row.side = mark.side
        row.fate = mark.fate
        row.counterpart = mark.counterpart
        return row
    }
}
