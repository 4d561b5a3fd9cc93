import Testing
import Wire

@testable import Dissection

/// One connection that a dissector is shown, written as who says what.
struct Stage {
    static let connection = ConnectionID(1)
    static let client = LegID(1)
    static let server = LegID(2)

    private(set) var rows: [DerivedRow] = []
    private(set) var dissector: Dissector
    private var lastChunk: Int64 = 0
    private var clock: Int64 = 0

    init(
        mode: ConnectionRow.Mode = .reverse, serverTLS: Bool = false, isServerTLS: Bool? = nil,
        limits: DissectionLimits = DissectionLimits()
    ) {
        dissector = Dissector(limits: limits)
        put(
            .connection(
                ConnectionRow(
                    id: Self.connection, at: .zero, listener: "127.0.0.1:8080",
                    client: "127.0.0.1:5000", mode: mode)))
        put(.leg(leg(Self.client, .client)))
        var server = leg(Self.server, .server)
        server.isTLS = isServerTLS
        put(.leg(server))
        if serverTLS { event(.tls, Self.server) }
    }

    private func leg(_ id: LegID, _ peer: Peer) -> LegRow {
        LegRow(
            id: id, connection: Self.connection, peer: peer, at: .zero, host: "127.0.0.1",
            port: 80)
    }

    mutating func put(_ record: Record) {
        var chunk: ChunkID?
        if case .chunk = record {
            lastChunk += 1
            chunk = ChunkID(lastChunk)
        }
        dissector.consume(record, chunk: chunk, into: &rows)
    }

    /// Somebody sends bytes, as one chunk.
    mutating func detail(
        _ sender: Peer, _ bytes: [UInt8], origin: Chunk.Origin = .peer, patches: [Patch] = [],
        deliveries: [Delivery] = []
    ) {
        clock += 1000
        put(
            .chunk(
                Chunk(
                    connection: Self.connection, leg: sender == .client ? Self.client : Self.server,
                    sender: sender, origin: origin, at: Instant(nanoseconds: clock), bytes: bytes,
                    patches: patches, deliveries: deliveries)))
    }

    /// Somebody sends text, as one chunk.
    mutating func detail(_ sender: Peer, _ text: String) { detail(sender, Array(text.utf8)) }

    /// Something happens to a leg.
    mutating func event(_ kind: EventRow.Kind, _ leg: LegID, detail: String = "") {
        clock += 1000
        put(
            .event(
                EventRow(
                    kind, connection: Self.connection, leg: leg,
                    at: Instant(nanoseconds: clock), detail: detail)))
    }

    /// Bytes are missing from the trace.
    mutating func lost(
        _ sender: Peer?, count: Int64 = 10, reason: GapRow.Reason = .diskFull
    ) {
        put(
            .gap(
                GapRow(
                    connection: Self.connection, leg: nil, sender: sender,
                    at: Instant(nanoseconds: clock), until: Instant(nanoseconds: clock),
                    count: count, chunks: 1, reason: reason)))
    }

    /// Rows of exchanges that are open are asked for.
    mutating func flush() { dissector.flush(into: &rows) }

    /// Ends the session and gives all rows, each exchange once, as it is at the end.
    mutating func finish() -> [DerivedRow] {
        dissector.flush(into: &rows)
        dissector.finish(at: Instant(nanoseconds: clock), into: &rows)
        return rows
    }
}

extension [DerivedRow] {
    /// The exchanges as they are at the end, by number.
    var exchanges: [ExchangeRow] {
        var last: [ExchangeID: ExchangeRow] = [:]
        for case .exchange(let row) in self { last[row.id] = row }
        return last.values.sorted { $0.id < $1.id }
    }

    var bodies: [BodyRow] { compactMap { if case .body(let row) = $0 { row } else { nil } } }
    var parts: [PartRow] { compactMap { if case .part(let row) = $0 { row } else { nil } } }
    var messages: [MessageRow] {
        compactMap { if case .message(let row) = $0 { row } else { nil } }
    }
    var frames: [FrameRow] { compactMap { if case .frame(let row) = $0 { row } else { nil } } }
    var commands: [CommandRow] {
        compactMap { if case .command(let row) = $0 { row } else { nil } }
    }
    var changes: [ChangeRow] { compactMap { if case .change(let row) = $0 { row } else { nil } } }
    var notes: [NoteRow] { compactMap { if case .note(let row) = $0 { row } else { nil } } }
    var documents: [OpenRosaRow] {
        compactMap { if case .openRosa(let row) = $0 { row } else { nil } }
    }

    var caseBlocks: [CaseBlockRow] {
        compactMap { if case .caseBlock(let row) = $0 { row } else { nil } }
    }

    /// The same rows without what depends on how the bytes were cut: places and times, and the
    /// states of an exchange before its last.
    var withoutCuts: [String] {
        let nowhere = Place(chunk: ChunkID(0), offset: 0)
        var result = exchanges.map { "\($0.withoutCuts)" }
        for row in self {
            switch row {
            case .exchange: continue
            case .frame(var row):
                (row.place, row.at) = (nowhere, .zero)
                result.append("\(row)")
            case .message(var row):
                (row.place, row.at, row.endedAt) = (nowhere, .zero, .zero)
                result.append("\(row)")
            case .command(var row):
                row.at = .zero
                result.append("\(row)")
            case .note(var row):
                (row.place, row.at) = (nowhere, .zero)
                result.append("\(row)")
            case .body(let row): result.append("\(row.withoutCuts)")
            default: result.append("\(row)")
            }
        }
        return result
    }
}

extension ExchangeRow {
    /// The same without places and times.
    var withoutCuts: ExchangeRow {
        let nowhere = Place(chunk: ChunkID(0), offset: 0)
        var row = self
        row.requestPlace = nowhere
        row.responsePlace = row.responsePlace.map { _ in nowhere }
        row.startedAt = .zero
        row.requestEndedAt = row.requestEndedAt.map { _ in .zero }
        row.respondedAt = row.respondedAt.map { _ in .zero }
        row.endedAt = row.endedAt.map { _ in .zero }
        return row
    }
}

extension BodyRow {
    /// The same without places.
    var withoutCuts: BodyRow {
        var row = self
        (row.headPlace, row.contentParts) = (nil, [])
        return row
    }
}
