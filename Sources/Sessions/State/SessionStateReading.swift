import Faults
import Framing
package import Replaying
package import Trace
package import Wire

/// Rebuilds the state of each side of a session from its trace.
package struct SessionStateReading {
    /// The state of each side.
    package private(set) var state = SessionState()
    /// Commands that could not be read: the trace keeps their first bytes, and the rest was
    /// evicted.
    package private(set) var cut = 0
    /// The time, since the start of the first session; nil for the end of the trace.
    package private(set) var at: Instant?

    private let reader: StateReader
    private var touched = TouchedCommands()
    private var failure: TraceError?

    private init(_ reader: StateReader) { self.reader = reader }

    /// Reads a trace up to a point in time.
    ///
    /// - Throws: ``SessionError`` where that cannot be read, or has no such point in time.
    package static func read(
        _ reader: StateReader, upto moment: StateMoment
    ) throws(SessionError) -> SessionStateReading {
        var reading = SessionStateReading(reader)
        let isFound: Bool
        do throws(TraceError) {
            (reading.at, isFound) = try reader.entries(upto: moment) { reading.take($0) }
            if let failure = reading.failure { throw failure }
        } catch {
            throw .trace(error)
        }
        guard isFound else {
            throw .missing(
                "there is no such point in the trace; `tapedeck ls` lists exchanges and commands")
        }
        return reading
    }

    private mutating func take(_ entry: StateEntry) {
        switch entry {
        case .command(let row): take(row)
        case .fault(let row): take(row)
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
            row.text = whole
        }
        let (sent, received) = touched.take(
            row.text, socket: row.socket, sender: row.sender, isMade: row.isMade)
        state.command(
            row.id, socket: row.socket, sender: row.sender, at: row.at, sent: sent,
            received: received)
    }

    /// The text of a command of which the trace keeps the first bytes, out of the chunks.
    private func whole(_ id: CommandID) -> [UInt8]? {
        guard let kept = try? reader.contents.text(id), let place = kept.cutFrom else { return nil }
        return try? reader.contents.payload(of: place, startingWith: kept.text)
    }

    private mutating func take(_ row: StateFaultRow) {
        let declared = FaultEffect.declared(
            for: row.action, on: row.sender, hasTaken: !row.came.isEmpty)
        guard let effect = row.effect ?? declared else { return }
        let lost = touched.take(
            effect, socket: row.socket, sender: row.sender, came: row.came, sent: row.sent)
        for (text, _) in lost {
            state.command(
                nil, socket: row.socket, sender: row.sender, at: row.at, sent: text, received: nil)
        }
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

    private func sides(_ row: StateExchangeRow) throws(TraceError) -> ExchangeSides {
        let arrived = try message(row, .client)
        var received: ExchangeSides.Response?
        if let status = row.status, let message = try message(row, .server) {
            received = ExchangeSides.Response(
                status: status, message: message, isWhole: row.isComplete)
        }
        var sides = ExchangeSides(
            request: arrived ?? ReplayMessage(), sent: received, received: received)
        if row.isLocal {
            sides.reached = false
            sides.sent = nil
        }
        for fault in row.faults {
            let declared = FaultEffect.declared(
                for: fault.action, on: fault.sender, hasTaken: fault.hasReceived)
            let effect = fault.effect ?? declared ?? []
            switch fault.sender {
            case .client? where effect.contains(.lost):
                if received == nil { sides.reached = false }
            case .client? where effect.contains(.altered):
                var raw = RawMessage(.client, method: row.method)
                try reader.sentBytes(of: row.id, .client) { raw.take($0) }
                if let message = raw.message {
                    sides.arrived = arrived
                    sides.request = message
                }
            case .server? where effect.contains(.lost):
                var raw = RawMessage(.server, method: row.method)
                _ = raw.take(try reader.came(fault)[...])
                sides.sent = raw.response
            case .server? where effect.contains(.altered) && row.isLocal:
                // The server's answer was replaced, so that there was one.
                var raw = RawMessage(.server, method: row.method)
                _ = raw.take(try reader.came(fault)[...])
                sides.sent = raw.response ?? received
                sides.reached = true
            case .server? where effect.contains(.altered):
                var raw = RawMessage(.server, method: row.method)
                try reader.sentBytes(of: row.id, .server) { raw.take($0) }
                if let response = raw.response { sides.sent = response }
            default: continue
            }
        }
        return sides
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

/// An HTTP message as its bytes go by.
private struct RawMessage {
    private var framer: HTTPFramer
    private var decoder: ContentDecoder?
    private var status: Int?
    private var fields: [ReplayMessage.Field]?
    private var body: [UInt8] = []
    private var isWhole = false
    private var isBroken = false

    package init(_ sender: Peer, method: String) {
        framer = HTTPFramer(role: sender == .client ? .request : .response)
        if sender == .server { framer.expect(method == "HEAD" ? .head : .other) }
    }

    /// Header fields and decoded body.
    package var message: ReplayMessage? { fields.map { ReplayMessage(fields: $0, body: body) } }

    /// The same of a response.
    package var response: ExchangeSides.Response? {
        guard let status, let message else { return nil }
        return ExchangeSides.Response(status: status, message: message, isWhole: isWhole)
    }

    /// Takes the next bytes, and returns whether there may be more.
    package mutating func take(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !isBroken, !isWhole else { return false }
        let piece = Array(bytes)
        var events: [HTTPEvent] = []
        _ = framer.consume(piece.span, into: &events)
        for event in events {
            switch event {
            case .head(let head, _):
                // An interim response does not count.
                if let status = head.status, (100..<200).contains(status) { continue }
                status = head.status
                let found = head.fields.map {
                    ReplayMessage.Field(head.text($0.name), head.text($0.value))
                }
                fields = found
                let coding = ReplayMessage(fields: found).value("content-encoding")
                decoder = coding.flatMap { try? ContentDecoder(codings: $0) }
            case .content(let range):
                guard let decoder else {
                    body += piece[range]
                    continue
                }
                let isDecoded: Void? = try? decoder.decode(piece.span.extracting(range)) {
                    decoded in
                    decoded.withUnsafeBufferPointer { body.append(contentsOf: $0) }
                }
                if isDecoded == nil { isBroken = true }
            case .end: isWhole = fields != nil
            case .failure, .opaque: isBroken = true
            case .trailers, .note: continue
            }
        }
        return !isBroken && !isWhole
    }
}
