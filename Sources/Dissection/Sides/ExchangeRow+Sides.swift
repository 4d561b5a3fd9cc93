import Wire

extension ExchangeRow {
    /// Whether two requests ask the same.
    func asks(like other: ExchangeRow) -> Bool {
        method == other.method && path == other.path && query == other.query && host == other.host
            && requestSize == other.requestSize
    }

    /// Whether the row of the other side has the same, apart from what is each side's own.
    func isLike(_ other: ExchangeRow, withTimes: Bool) -> Bool {
        var row = other
        row.id = id
        row.serverLeg = serverLeg
        row.side = side
        row.fate = fate
        row.counterpart = counterpart
        row.responsePlace = responsePlace
        if !withTimes {
            row.startedAt = startedAt
            if (requestEndedAt == nil) == (row.requestEndedAt == nil) {
                row.requestEndedAt = requestEndedAt
            }
            if (respondedAt == nil) == (row.respondedAt == nil) { row.respondedAt = respondedAt }
            if (endedAt == nil) == (row.endedAt == nil) { row.endedAt = endedAt }
        }
        return row == self
    }

    /// Whether a row that was passed on is as good as `newer`: of one that is open sizes change with
    /// every chunk.
    func isShown(as newer: ExchangeRow) -> Bool {
        guard newer.outcome == .open else { return self == newer }
        return status == newer.status && fate == newer.fate && counterpart == newer.counterpart
            && (requestEndedAt == nil) == (newer.requestEndedAt == nil) && api == newer.api
    }
}

extension DerivedRow {
    /// The exchange whose contents it is part of; nil for other rows.
    var exchangePart: ExchangeID? {
        switch self {
        case .body(let row): row.exchange
        case .part(let row): row.exchange
        case .openRosa(let row): row.exchange
        case .caseBlock(let row): row.exchange
        case .exchange, .frame, .message, .command, .change, .note: nil
        }
    }

    /// The same part of another exchange.
    func moved(to exchange: ExchangeID) -> DerivedRow {
        switch self {
        case .body(var row):
            row.exchange = exchange
            return .body(row)
        case .part(var row):
            row.exchange = exchange
            return .part(row)
        case .openRosa(var row):
            row.exchange = exchange
            return .openRosa(row)
        case .caseBlock(var row):
            row.exchange = exchange
            return .caseBlock(row)
        case .exchange, .frame, .message, .command, .change, .note:
            return self
        }
    }

    /// Whether the part of the other side's exchange is the same, wherever in the trace it stands.
    func isLike(_ other: DerivedRow) -> Bool {
        guard case .body(let own) = self, case .body(var row) = other else {
            return exchangePart.map { self == other.moved(to: $0) } ?? false
        }
        row.exchange = own.exchange
        row.headPlace = own.headPlace
        row.contentParts = own.contentParts
        return row == own
    }

    /// Whether it is part of the contents of a request.
    var isOfRequest: Bool {
        switch self {
        case .body(let row): row.sender == .client
        case .part(let row): row.sender == .client
        case .openRosa(let row): row.sender == .client
        case .caseBlock(let row): row.sender == .client
        case .exchange, .frame, .message, .command, .change, .note: false
        }
    }

    /// Bytes that it takes in memory, roughly.
    var heldBytes: Int {
        if case .body(let row) = self { row.head.count + row.content.count + 128 } else { 512 }
    }
}
