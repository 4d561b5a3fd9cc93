import Wire

/// The exchanges of both sides of a connection, each pair by where its request begins.
struct ExchangeJoin {
    /// One exchange as each side has it.
    private struct Pair {
        var client: ExchangeRow?
        var server: ExchangeRow?
        var clientParts: [DerivedRow] = []
        var serverParts: [DerivedRow] = []
        /// How many of these were passed on.
        var given = 0
        /// Whether the sides differ.
        var isApart = false
        /// Number of the server's row in the trace, once it has one of its own.
        var number: ExchangeID?
        var fate = Fate.same
        /// For a request that no client sent: what it is taken for.
        var original: ExchangeID?
        /// The marks and the server's row as they were passed on last.
        var givenMark: SideMark<ExchangeKind>?
        var givenServer: ExchangeRow?
        var isTouched = false

        var isFinished: Bool {
            client.map { $0.outcome != .open } ?? true && server.map { $0.outcome != .open } ?? true
        }
    }

    private var pairs: [Place: Pair] = [:]
    /// Places of ``pairs`` in the order in which they were found.
    private var order: [Place] = []
    private var clientPlaces: [ExchangeID: Place] = [:]
    private var serverPlaces: [ExchangeID: Place] = [:]
    /// Exchanges that were alike when the sides came apart, and finished.
    private var last: ExchangeRow?
    /// Rows of the client's side that turned out to be received after all.
    private var found: [ExchangeRow] = []
    private(set) var heldBytes = 0
    /// Whether a server is connected to: until then nobody knows whether it will have anything.
    var isReached = true

    /// Pairs that are over and are kept to recognize what comes again.
    private static let kept = 16

    init(last: ExchangeRow?) { self.last = last }

    /// Whether all exchanges are over.
    var isSettled: Bool {
        pairs.values.allSatisfy {
            $0.isFinished && !$0.isTouched && !($0.isApart && isSwitch($0))
        }
    }

    /// Whether what follows an exchange belongs to it.
    private func isSwitch(_ pair: Pair) -> Bool {
        pair.client?.status == 101 || pair.server?.status == 101
    }

    /// The number that the trace has for an exchange of the server's side.
    func number(_ id: ExchangeID) -> ExchangeID? {
        guard let place = serverPlaces[id], let pair = pairs[place] else {
            return id.rawValue < SideJoin.provisional.exchange ? id : nil
        }
        return pair.number ?? pair.client?.id
    }

    // MARK: Taking

    mutating func begin(with rows: [DerivedRow], client: Conversation, server: Conversation) {
        for row in server.open.map(\.row) {
            guard let other = client.open.first(where: { $0.row.requestPlace == row.requestPlace })
            else { continue }
            noteServer(row)
            noteClient(other.row)
        }
        for row in rows { noteServerPart(row) }
        for place in order {
            guard var pair = pairs[place] else { continue }
            pair.clientParts = pair.serverParts
            pairs[place] = pair
        }
    }

    mutating func note(
        _ rows: [DerivedRow], _ others: [DerivedRow], client: [OpenExchange], server: [OpenExchange]
    ) {
        for exchange in client { noteClient(exchange.row) }
        for case .exchange(let row) in rows { noteClient(row) }
        for exchange in server { noteServer(exchange.row) }
        for case .exchange(let row) in others { noteServer(row) }
        for row in rows {
            guard let id = row.exchangePart, let place = clientPlaces[id] else { continue }
            pairs[place]?.clientParts.append(row)
            pairs[place]?.isTouched = true
            heldBytes += row.heldBytes
        }
        for row in others { noteServerPart(row) }
    }

    private mutating func noteClient(_ row: ExchangeRow) {
        let place = place(of: row)
        clientPlaces[row.id] = place
        guard pairs[place]?.client != row else { return }
        pairs[place]?.client = row
        pairs[place]?.isTouched = true
    }

    private mutating func noteServer(_ row: ExchangeRow) {
        let place = place(of: row)
        serverPlaces[row.id] = place
        guard pairs[place]?.server != row else { return }
        pairs[place]?.server = row
        pairs[place]?.isTouched = true
    }

    private mutating func place(of row: ExchangeRow) -> Place {
        let place = row.requestPlace
        if pairs[place] == nil {
            pairs[place] = Pair()
            order.append(place)
            forgetOld()
        }
        return place
    }

    private mutating func noteServerPart(_ row: DerivedRow) {
        guard let id = row.exchangePart, let place = serverPlaces[id] else { return }
        pairs[place]?.serverParts.append(row)
        pairs[place]?.isTouched = true
        heldBytes += row.heldBytes
    }

    /// Forgets the oldest of many that are over and passed on.
    private mutating func forgetOld() {
        guard order.count > Self.kept,
            let index = order.firstIndex(where: {
                guard let pair = pairs[$0] else { return false }
                return pair.isFinished && !pair.isTouched && !isSwitch(pair)
            }), let pair = pairs.removeValue(forKey: order[index])
        else { return }
        heldBytes -= (pair.clientParts + pair.serverParts).reduce(0) { $0 + $1.heldBytes }
        order.remove(at: index)
        if let id = pair.client?.id { clientPlaces[id] = nil }
        if let id = pair.server?.id { serverPlaces[id] = nil }
    }

    /// These requests were not received after all.
    mutating func forget(_ ids: [ExchangeID]) {
        for id in ids {
            guard let place = serverPlaces.removeValue(forKey: id), pairs[place]?.number == nil
            else { continue }
            pairs[place]?.server = nil
            pairs[place]?.serverParts = []
            pairs[place]?.given = 0
            pairs[place]?.isTouched = true
        }
    }

    // MARK: Deciding

    /// Decides about all that changed, and gives numbers.
    mutating func decide(lost: inout LostRows, _ output: DissectorOutput) {
        for place in order where pairs[place]?.isTouched == true {
            guard var pair = pairs[place], isReached || pair.server == nil else { continue }
            if !pair.isApart { pair.isApart = !isAlike(pair, atTheSameTime: true) }
            if pair.isApart {
                if pair.server != nil, pair.number == nil { pair.number = output.nextExchange() }
                judge(&pair, at: place, &lost)
                if let id = pair.client?.id { output.marks[id] = Self.clientMark(pair) }
            }
            pairs[place] = pair
        }
    }

    private mutating func judge(
        _ pair: inout Pair, at place: Place, _ lost: inout LostRows
    ) {
        switch (pair.client, pair.server) {
        case (nil, let server?):
            guard pair.original == nil else { return }
            if let sent = lost.take(like: server) {
                pair.fate = .late
                pair.original = sent.id
                found.append(
                    sent.marked(
                        SideMark(side: .client, fate: .late, counterpart: pair.number)))
                if let from = clientPlaces[sent.id] {
                    pairs[from]?.fate = .late
                    pairs[from]?.original = pair.number
                    pairs[from]?.isTouched = true
                }
            } else if let original = earlier(like: server, than: place) {
                pair.fate = .repeated
                pair.original = original
            } else {
                pair.fate = .synthesized
            }
        case (let client?, nil):
            guard pair.original == nil else { return }
            pair.fate = .lost
            lost.exchanges.removeAll { $0.id == client.id }
            lost.append(client)
        case (let client?, let server?):
            if client.status == nil, server.status != nil {
                pair.fate = .lost
            } else if client.status != nil, server.status == nil {
                pair.fate = .synthesized
            } else {
                pair.fate = isAlike(pair, atTheSameTime: false) ? .late : .altered
            }
        case (nil, nil):
            return
        }
    }

    /// An earlier request that a server received and that asks the same.
    private func earlier(like row: ExchangeRow, than place: Place) -> ExchangeID? {
        for other in order.reversed() where other != place {
            guard let pair = pairs[other], let server = pair.server, server.asks(like: row) else {
                continue
            }
            return pair.number ?? pair.client?.id
        }
        return last.flatMap { $0.asks(like: row) ? $0.id : nil }
    }

    /// Whether both sides of a pair have the same.
    private func isAlike(_ pair: Pair, atTheSameTime: Bool) -> Bool {
        guard let client = pair.client, let server = pair.server,
            client.compared(withTimes: atTheSameTime) == server.compared(withTimes: atTheSameTime),
            pair.clientParts.count == pair.serverParts.count
        else { return false }
        return zip(pair.clientParts, pair.serverParts).allSatisfy {
            $0.compared(in: client.id) == $1.compared(in: client.id)
        }
    }

    private static func clientMark(_ pair: Pair) -> SideMark<ExchangeKind> {
        SideMark(
            side: .client, fate: pair.fate,
            counterpart: pair.server == nil ? pair.original : pair.number)
    }

    // MARK: Giving

    /// Passes on what differs.
    mutating func give(_ output: DissectorOutput) {
        for row in found where clientPlaces[row.id] == nil { output.emit(.exchange(row)) }
        found = []
        for place in order where pairs[place]?.isTouched == true {
            guard var pair = pairs[place], isReached || pair.server == nil else { continue }
            pair.isTouched = false
            if pair.isApart { give(&pair, output) }
            pairs[place] = pair
        }
    }

    private func give(_ pair: inout Pair, _ output: DissectorOutput) {
        if let client = pair.client {
            let mark = Self.clientMark(pair)
            if pair.givenMark != mark {
                pair.givenMark = mark
                output.emit(.exchange(client))
            }
        }
        guard var server = pair.server, let number = pair.number else { return }
        for part in pair.serverParts[pair.given...] { output.emit(part.moved(to: number)) }
        pair.given = pair.serverParts.count
        server.id = number
        server.side = .server
        server.fate = pair.fate
        server.counterpart = pair.client?.id ?? pair.original
        guard pair.givenServer.map({ !$0.isShown(as: server) }) ?? true else { return }
        pair.givenServer = server
        output.emit(.exchange(server))
    }
}

extension ExchangeRow {
    /// Whether two requests ask the same.
    func asks(like other: ExchangeRow) -> Bool {
        method == other.method && path == other.path && query == other.query && host == other.host
            && requestSize == other.requestSize
    }

    /// The row without what is not compared.
    fileprivate func compared(withTimes: Bool) -> ExchangeRow {
        var row = self
        row.id = ExchangeID(0)
        row.serverLeg = nil
        row.side = .both
        row.fate = .same
        row.counterpart = nil
        row.responsePlace = nil
        if !withTimes {
            row.startedAt = .zero
            row.requestEndedAt = row.requestEndedAt.map { _ in .zero }
            row.respondedAt = row.respondedAt.map { _ in .zero }
            row.endedAt = row.endedAt.map { _ in .zero }
        }
        return row
    }

    /// Whether a row that was passed on is as good as `newer`: of one that is open sizes change with
    /// every chunk.
    fileprivate func isShown(as newer: ExchangeRow) -> Bool {
        guard newer.outcome == .open else { return self == newer }
        return status == newer.status && fate == newer.fate && counterpart == newer.counterpart
            && (requestEndedAt == nil) == (newer.requestEndedAt == nil) && api == newer.api
    }
}

extension DerivedRow {
    /// The exchange whose contents it is part of; nil for other rows.
    fileprivate var exchangePart: ExchangeID? {
        switch self {
        case .body(let row): row.exchange
        case .part(let row): row.exchange
        case .openRosa(let row): row.exchange
        case .caseBlock(let row): row.exchange
        case .exchange, .frame, .message, .command, .change, .note: nil
        }
    }

    /// The same part of another exchange.
    fileprivate func moved(to exchange: ExchangeID) -> DerivedRow {
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

    /// The part without what is not compared.
    fileprivate func compared(in exchange: ExchangeID) -> DerivedRow {
        guard case .body(var row) = self else { return moved(to: exchange) }
        row.exchange = exchange
        row.headPlace = nil
        row.contentParts = []
        return .body(row)
    }

    /// Bytes that it takes in memory, roughly.
    fileprivate var heldBytes: Int {
        if case .body(let row) = self { row.head.count + row.content.count + 128 } else { 512 }
    }
}
