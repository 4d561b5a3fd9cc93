import Wire

/// The exchanges of both sides of a connection, each pair by where its request begins.
struct ExchangeJoin {
    /// One exchange as each side has it.
    ///
    /// A reference, since rows are large and a pair is changed in place.
    private final class Pair {
        let place: Place
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
        /// Whether the client's row is among those that are passed on now, with its mark.
        var isOnItsWay = false

        init(_ place: Place) { self.place = place }

        var isFinished: Bool { client?.outcome != .open && server?.outcome != .open }

        /// Whether what follows the exchange belongs to it.
        var isSwitch: Bool { client?.status == 101 || server?.status == 101 }

        var clientMark: SideMark<ExchangeKind> {
            SideMark(side: .client, fate: fate, counterpart: server == nil ? original : number)
        }
    }

    private var pairs: [Place: Pair] = [:]
    /// All ``pairs`` in the order in which they were found.
    private var order: [Pair] = []
    /// Whether one of them may be forgotten: not again before more is passed on, once none is found.
    private var mayForget = false
    private var clientPairs: [ExchangeID: Pair] = [:]
    private var serverPairs: [ExchangeID: Pair] = [:]
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
        order.allSatisfy { $0.isFinished && !$0.isTouched && !($0.isApart && $0.isSwitch) }
    }

    /// The number that the trace has for an exchange of the server's side.
    func number(_ id: ExchangeID) -> ExchangeID? {
        guard let pair = serverPairs[id] else {
            return id.rawValue < SideJoin.provisional.exchange ? id : nil
        }
        return pair.number ?? pair.client?.id
    }

    // MARK: Taking

    mutating func begin(with rows: [DerivedRow], client: [ExchangeRow], server: [ExchangeRow]) {
        for row in server {
            guard let other = client.first(where: { $0.requestPlace == row.requestPlace }) else {
                continue
            }
            noteServer(row)
            noteClient(other)
        }
        for row in rows { noteServerPart(row) }
        for pair in order { pair.clientParts = pair.serverParts }
    }

    mutating func note(
        _ rows: [DerivedRow], _ others: [DerivedRow], client: [OpenExchange], server: [OpenExchange]
    ) {
        for exchange in client where !exchange.isJoined {
            exchange.isJoined = true
            noteClient(exchange.row)
        }
        for case .exchange(let row) in rows { noteClient(row).isOnItsWay = true }
        for exchange in server where !exchange.isJoined {
            exchange.isJoined = true
            noteServer(exchange.row)
        }
        for case .exchange(let row) in others { noteServer(row) }
        for row in rows {
            guard let id = row.exchangePart, let pair = clientPairs[id] else { continue }
            pair.clientParts.append(row)
            pair.isTouched = true
            heldBytes += row.heldBytes
        }
        for row in others { noteServerPart(row) }
    }

    @discardableResult
    private mutating func noteClient(_ row: ExchangeRow) -> Pair {
        let pair = pair(of: row)
        clientPairs[row.id] = pair
        guard pair.client != row else { return pair }
        pair.client = row
        pair.isTouched = true
        return pair
    }

    private mutating func noteServer(_ row: ExchangeRow) {
        let pair = pair(of: row)
        serverPairs[row.id] = pair
        guard pair.server != row else { return }
        pair.server = row
        pair.isTouched = true
    }

    private mutating func pair(of row: ExchangeRow) -> Pair {
        if let known = pairs[row.requestPlace] { return known }
        let pair = Pair(row.requestPlace)
        pairs[pair.place] = pair
        order.append(pair)
        forgetOld()
        return pair
    }

    private mutating func noteServerPart(_ row: DerivedRow) {
        guard let id = row.exchangePart, let pair = serverPairs[id] else { return }
        pair.serverParts.append(row)
        pair.isTouched = true
        heldBytes += row.heldBytes
    }

    /// Forgets the oldest of many that are over and passed on.
    private mutating func forgetOld() {
        guard mayForget, order.count > Self.kept else { return }
        guard
            let index = order.firstIndex(where: { $0.isFinished && !$0.isTouched && !$0.isSwitch })
        else {
            mayForget = false
            return
        }
        let pair = order.remove(at: index)
        pairs[pair.place] = nil
        heldBytes -= (pair.clientParts + pair.serverParts).reduce(0) { $0 + $1.heldBytes }
        if let id = pair.client?.id { clientPairs[id] = nil }
        if let id = pair.server?.id { serverPairs[id] = nil }
    }

    /// These requests were not received after all.
    mutating func forget(_ ids: [ExchangeID]) {
        for id in ids {
            guard let pair = serverPairs.removeValue(forKey: id), pair.number == nil else {
                continue
            }
            pair.server = nil
            pair.serverParts = []
            pair.given = 0
            pair.isTouched = true
        }
    }

    // MARK: Deciding

    /// Decides about all that changed, and gives numbers.
    mutating func decide(lost: inout LostRows, _ output: DissectorOutput) {
        for pair in order where pair.isTouched && (isReached || pair.server == nil) {
            if !pair.isApart { pair.isApart = !isAlike(pair, atTheSameTime: true) }
            guard pair.isApart else { continue }
            if pair.server != nil, pair.number == nil { pair.number = output.nextExchange() }
            judge(pair, &lost)
            if let id = pair.client?.id { output.marks[id] = pair.clientMark }
        }
    }

    private mutating func judge(_ pair: Pair, _ lost: inout LostRows) {
        switch (pair.client, pair.server) {
        case (nil, let server?):
            guard pair.original == nil else { return }
            if let sent = lost.take(like: server) {
                pair.fate = .late
                pair.original = sent.id
                found.append(
                    sent.marked(
                        SideMark(side: .client, fate: .late, counterpart: pair.number)))
                if let from = clientPairs[sent.id] {
                    from.fate = .late
                    from.original = pair.number
                    from.isTouched = true
                }
            } else if let original = earlier(like: server, than: pair) {
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
            pair.fate = Self.fate(of: client, server) { isAlike(pair, atTheSameTime: false) }
        case (nil, nil):
            return
        }
    }

    /// What became of an exchange that both sides have, and that differs.
    static func fate(
        of client: ExchangeRow, _ server: ExchangeRow, isAlike: () -> Bool
    ) -> Fate {
        if client.status == nil, server.status != nil { return .lost }
        if client.status != nil, server.status == nil { return .synthesized }
        return isAlike() ? .late : .altered
    }

    /// An earlier request that a server received and that asks the same.
    private func earlier(like row: ExchangeRow, than pair: Pair) -> ExchangeID? {
        for other in order.reversed() where other !== pair {
            guard let server = other.server, server.asks(like: row) else { continue }
            return other.number ?? other.client?.id
        }
        return last.flatMap { $0.asks(like: row) ? $0.id : nil }
    }

    /// Whether both sides of a pair have the same.
    private func isAlike(_ pair: Pair, atTheSameTime: Bool) -> Bool {
        guard let client = pair.client, let server = pair.server,
            client.isLike(server, withTimes: atTheSameTime),
            pair.clientParts.count == pair.serverParts.count
        else { return false }
        return zip(pair.clientParts, pair.serverParts).allSatisfy { $0.isLike($1) }
    }

    // MARK: Giving

    /// Passes on what differs.
    mutating func give(_ output: DissectorOutput) {
        for row in found where clientPairs[row.id] == nil { output.emit(.exchange(row)) }
        found = []
        mayForget = true
        for pair in order {
            let isOnItsWay = pair.isOnItsWay
            pair.isOnItsWay = false
            guard pair.isTouched, isReached || pair.server == nil else { continue }
            pair.isTouched = false
            guard pair.isApart else { continue }
            give(pair, isOnItsWay: isOnItsWay, output)
            // No row of it follows by itself.
            if let client = pair.client, client.outcome != .open, !pair.isSwitch {
                output.marks[client.id] = nil
            }
        }
    }

    /// Forgets what it has marked, since nothing follows.
    func finish(_ output: DissectorOutput) {
        for pair in order {
            if let id = pair.client?.id { output.marks[id] = nil }
        }
    }

    private func give(_ pair: Pair, isOnItsWay: Bool, _ output: DissectorOutput) {
        if let client = pair.client {
            let mark = pair.clientMark
            if pair.givenMark != mark {
                pair.givenMark = mark
                // What waits to be passed on gets the mark that was decided first.
                if !isOnItsWay || output.marks[client.id] != mark {
                    output.emit(.exchange(client))
                }
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
