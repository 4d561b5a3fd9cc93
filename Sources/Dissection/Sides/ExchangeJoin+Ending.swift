import Wire

extension ExchangeJoin {
    /// Passes on what one record gave where that is the end of the only exchange that was open, as
    /// an ``ExchangeJoin`` with that alone does.
    ///
    /// - Parameters:
    ///   - rows: The rows of the client's side.
    ///   - others: Those of the server's side.
    ///   - before: What was decoded of the exchange before, which is the same on both sides.
    ///   - output: Gets the rows.
    /// - Returns: Whether it is so; otherwise nothing was passed on.
    static func give(
        _ rows: [DerivedRow], _ others: [DerivedRow], before: [DerivedRow],
        _ output: DissectorOutput
    ) -> Bool {
        guard let client = end(in: rows), let server = end(in: others),
            client.requestPlace == server.requestPlace
        else { return false }
        let isAlike = { (atTheSameTime: Bool) in
            client.isLike(server, withTimes: atTheSameTime) && rows.count == others.count
                && zip(rows, others).allSatisfy { row, other in
                    row.exchangePart == nil
                        ? other.exchangePart == nil : row.isLike(other)
                }
        }
        guard !isAlike(true) else {
            for row in rows { output.emit(row) }
            return true
        }
        let number = output.nextExchange()
        let fate = Self.fate(of: client, server) { isAlike(false) }
        output.marks[client.id] = SideMark(side: .client, fate: fate, counterpart: number)
        for row in rows { output.emit(row) }
        output.marks[client.id] = nil
        for part in before where part.exchangePart == server.id {
            output.emit(part.moved(to: number))
        }
        for part in others where part.exchangePart != nil { output.emit(part.moved(to: number)) }
        var row = server.marked(
            SideMark(side: .server, fate: fate, counterpart: client.id))
        row.id = number
        output.emit(.exchange(row))
        return true
    }

    /// The exchange that ends in `rows`, which are nothing but that and its parts.
    private static func end(in rows: [DerivedRow]) -> ExchangeRow? {
        var end: ExchangeRow?
        for case .exchange(let row) in rows {
            guard end == nil, row.outcome != .open, row.status != 101 else { return nil }
            end = row
        }
        guard let end,
            rows.allSatisfy({ row in
                if case .exchange = row { true } else { row.exchangePart == end.id }
            })
        else { return nil }
        return end
    }
}
