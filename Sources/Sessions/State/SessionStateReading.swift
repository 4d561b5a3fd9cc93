package import Replaying
package import Trace
package import Wire

/// Rebuilds the state of each side of a session from its trace.
package struct SessionStateReading {
    /// The state of each side.
    package private(set) var state: SessionState
    /// Commands that could not be read: the trace keeps their first bytes, and the rest was
    /// evicted.
    package private(set) var cut = 0
    /// The time, since the start of the first session; nil for the end of the trace.
    package private(set) var at: Instant?

    private let reader: StateReader
    private var failure: TraceError?

    private init(_ reader: StateReader, keepsHistory: Bool) {
        self.reader = reader
        state = SessionState(keepsHistory: keepsHistory)
    }

    /// Reads a trace up to a point in time.
    ///
    /// - Parameters:
    ///   - reader: The trace.
    ///   - moment: The point in time, inclusive.
    ///   - keepsHistory: Whether what the servers showed of their past is kept as well.
    ///   - progress: Receives now and then how much has been read, in 0...1.
    /// - Returns: The state of each side then.
    /// - Throws: ``SessionError`` where that cannot be read, or has no such point in time.
    package static func read(
        _ reader: StateReader, upto moment: StateMoment, keepsHistory: Bool = false,
        progress: (Double) -> Void = { _ in }
    ) throws(SessionError) -> SessionStateReading {
        var reading = SessionStateReading(reader, keepsHistory: keepsHistory)
        let isFound: Bool
        do throws(TraceError) {
            (reading.at, isFound) = try reader.entries(upto: moment, progress: progress) {
                reading.take($0)
            }
            if let failure = reading.failure { throw failure }
        } catch {
            throw .trace(error)
        }
        guard isFound else {
            throw .missing(absence(of: moment, in: reader))
        }
        return reading
    }

    /// What is missing, and what there is.
    private static func absence(of moment: StateMoment, in reader: StateReader) -> String {
        let sessions = reader.sessions.map(\.description)
        switch moment {
        case .session(let session), .time(_, let session?):
            return sessions.count == 1
                ? "the trace has no session \(session); its only one is session \(sessions[0])"
                : "the trace has no session \(session); it has sessions "
                    + sessions.joined(separator: ", ")
        default:
            return "there is no such point in the trace; `tapedeck ls` lists exchanges and commands"
        }
    }

    private mutating func take(_ entry: StateEntry) {
        switch entry {
        case .command(let row): take(row)
        case .exchange(let row): take(row)
        case .ended(let socket): state.socketEnded(socket, at: .zero)
        }
    }

    // MARK: Simperium

    private mutating func take(_ row: StateCommandRow) {
        var row = row
        if row.isCut {
            guard let whole = whole(row.id) else {
                cut += 1
                return
            }
            if row.sent != nil, row.sent == row.received { row.received = whole }
            if row.sent != nil { row.sent = whole } else { row.received = whole }
        }
        state.command(
            row.id, socket: row.socket, sender: row.sender, at: row.at, sent: row.sent,
            received: row.received)
    }

    /// The text of a command of which the trace keeps the first bytes, out of the chunks.
    private func whole(_ id: CommandID) -> [UInt8]? {
        guard let kept = try? reader.contents.text(id), let place = kept.cutFrom else { return nil }
        return try? reader.contents.payload(of: place, startingWith: kept.text)
    }

    // MARK: CommCare

    private mutating func take(_ row: StateExchangeRow) {
        guard failure == nil else { return }
        do throws(TraceError) {
            let exchange = RecordedExchange(
                id: row.id, method: row.method, host: row.host, path: row.path, query: row.query,
                status: row.status, startedAt: row.startedAt, endedAt: row.endedAt)
            state.exchange(exchange, api: row.api, try sides(row))
        } catch {
            failure = error
        }
    }

    /// What the client had, and the server's side where it had something else.
    private func sides(_ row: StateExchangeRow) throws(TraceError) -> ExchangeSides {
        let received = try response(row)
        var sides = ExchangeSides(
            request: try message(row, .client) ?? ReplayMessage(), sent: received,
            received: received)
        guard row.side == .client else { return sides }
        guard let id = row.counterpart, let other = try reader.exchange(id) else {
            sides.reached = false
            sides.sent = nil
            return sides
        }
        sides.arrived = try message(other, .client)
        sides.sent = try response(other)
        return sides
    }

    private func response(
        _ row: StateExchangeRow
    ) throws(TraceError) -> ExchangeSides.Response? {
        guard let status = row.status, let message = try message(row, .server) else { return nil }
        return ExchangeSides.Response(status: status, message: message, isWhole: row.isComplete)
    }

    private func message(
        _ row: StateExchangeRow, _ peer: Peer
    ) throws(TraceError) -> ReplayMessage? {
        guard let side = try reader.contents.side(row.id, peer) else { return nil }
        let isWhole = side.size <= Int64(side.content.count)
        return ReplayMessage(
            fields: RecordedHead(side.head, of: peer).fields,
            body: isWhole
                ? side.content
                : try reader.contents.body(
                    row.id, peer, method: side.method, decoding: side.coding))
    }
}
