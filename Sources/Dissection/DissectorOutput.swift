import Wire

/// Where the decoders of one dissector put their rows and get their numbers.
///
/// Shared by all conversations of a dissector and used on its thread alone.
package final class DissectorOutput {
    private(set) var numbers: DissectorNumbers
    private var rows: [DerivedRow] = []
    private var changed: [OpenExchange] = []
    /// The exchanges that are not the same on both sides and may still change.
    var marks: [ExchangeID: SideMark<ExchangeKind>] = [:]

    package init(numbers: DissectorNumbers) { self.numbers = numbers }

    /// Adds a finished row.
    func emit(_ row: DerivedRow) {
        if !marks.isEmpty, case .exchange(let exchange) = row, let mark = marks[exchange.id] {
            rows.append(.exchange(exchange.marked(mark)))
        } else {
            rows.append(row)
        }
    }

    /// Keeps that `exchange` has changed and is not finished, with its row as it is now.
    ///
    /// Content that comes later is in no row before the next change, so that the row does not
    /// depend on where a batch ends.
    func touch(_ exchange: OpenExchange) {
        if exchange.changedRow == nil { changed.append(exchange) }
        exchange.changedRow = exchange.row
    }

    /// Adds the rows of exchanges that changed and are not finished.
    func flushOpen() {
        for exchange in changed {
            if let row = exchange.changedRow, !exchange.isFinished { emit(.exchange(row)) }
            exchange.changedRow = nil
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Forgets which exchanges changed.
    func dropOpen() {
        for exchange in changed { exchange.changedRow = nil }
        changed.removeAll(keepingCapacity: true)
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
