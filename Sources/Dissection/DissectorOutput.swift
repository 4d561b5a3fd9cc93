import Wire

/// Where the decoders of one dissector put their rows and get their numbers.
///
/// Shared by all conversations of a dissector and used on its thread alone.
package final class DissectorOutput {
    private(set) var numbers: DissectorNumbers
    private var rows: [DerivedRow] = []
    private var changed: [OpenExchange] = []

    package init(numbers: DissectorNumbers) { self.numbers = numbers }

    /// Adds a finished row.
    func emit(_ row: DerivedRow) { rows.append(row) }

    /// Remembers that `exchange` has changed and is not finished.
    func touch(_ exchange: OpenExchange) {
        guard !exchange.isListed else { return }
        exchange.isListed = true
        changed.append(exchange)
    }

    /// Adds the rows of exchanges that changed and are not finished.
    func flushOpen() {
        for exchange in changed {
            exchange.isListed = false
            if !exchange.isFinished { rows.append(.exchange(exchange.row)) }
        }
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
