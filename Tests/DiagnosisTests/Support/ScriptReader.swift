import Dissection
import Framing
import Simperium
import Wire

@testable import Diagnosis

/// Turns records into evidence by way of the real decoders.
struct ScriptReader {
    private var dissector = Dissector()
    private var lastChunk: Int64 = 0
    private var origins: [ChunkID: (origin: Origin, said: [UInt8]?)] = [:]
    private var exchanges: [ExchangeID: ExchangeRow] = [:]
    private var sides: [ExchangeID: [SideEvidence]] = [:]
    private var messages: [MessageID: MessageRow] = [:]
    private var faults: [FaultRow] = []
    private var made: [(at: Instant, evidence: Evidence)] = []
    private var exchangeOrder: [ExchangeID] = []

    mutating func put(_ record: Record, _ origin: Origin, said: [UInt8]? = nil) {
        var chunk: ChunkID?
        switch record {
        case .chunk:
            lastChunk += 1
            let id = ChunkID(lastChunk)
            origins[id] = (origin, said)
            chunk = id
        case .connection(let row): made.append((row.at, .connection(row)))
        case .event(let row): made.append((row.at, .event(row)))
        case .gap(let row): made.append((row.at, .gap(row)))
        case .fault(let row):
            faults.append(row)
            made.append((row.at, .fault(row)))
        default: break
        }
        var rows: [DerivedRow] = []
        dissector.consume(record, chunk: chunk, into: &rows)
        take(rows)
    }

    mutating func lose(_ id: ConnectionID, _ sender: Peer, _ text: [UInt8], at: Instant) {
        let head = CommandEvidence.Version(text, from: sender).command
        let row = CommandRow(
            id: CommandID(0), message: MessageID(0), connection: id, position: 0, sender: sender,
            at: at, channel: head.channel, name: head.name, bucket: nil, app: nil, text: nil,
            payloadOffset: head.payload.lowerBound, payloadSize: head.payload.count, key: head.key,
            cv: head.cv, error: head.error, problem: nil)
        made.append((at, .command(CommandEvidence(row, text: text, origin: .lost, place: nil))))
    }

    private mutating func take(_ rows: [DerivedRow]) {
        for row in rows {
            switch row {
            case .exchange(let row):
                if exchanges.updateValue(row, forKey: row.id) == nil {
                    exchangeOrder.append(row.id)
                }
            case .body(let row):
                var list = sides[row.exchange] ?? []
                if let index = list.firstIndex(where: { $0.body.sender == row.sender }) {
                    list[index].body = row
                } else {
                    list.append(SideEvidence(row))
                }
                sides[row.exchange] = list
            case .part(let row): change(row.exchange, row.sender) { $0.parts.append(row) }
            case .openRosa(let row): change(row.exchange, row.sender) { $0.documents.append(row) }
            case .message(let row):
                messages[row.id] = row
                // Commands of a message come after it.
                if !(row.opcode == 1 && row.isSimperium) {
                    made.append((row.endedAt, .message(MessageEvidence(row, origin: origin(row)))))
                }
            case .command(let row): take(row)
            case .note(let row): made.append((row.at, .note(row)))
            case .caseBlock, .change, .frame: continue
            }
        }
    }

    private mutating func take(_ row: CommandRow) {
        guard let message = messages[row.message] else { return }
        let text = row.text ?? message.payload
        let known = origins[message.place.chunk]
        if let said = known?.said {
            let evidence = CommandEvidence(row, said: said, heard: text, place: message.place)
            made.append((row.at, .command(evidence)))
        } else {
            let evidence = CommandEvidence(
                row, text: text, origin: known?.origin == .tapedeck ? .tapedeck : .peer,
                place: message.place)
            made.append((row.at, .command(evidence)))
        }
    }

    private func origin(_ row: MessageRow) -> Origin {
        origins[row.place.chunk]?.origin == .tapedeck ? .tapedeck : .peer
    }

    private mutating func change(
        _ id: ExchangeID, _ sender: Peer, _ body: (inout SideEvidence) -> Void
    ) {
        var list = sides[id] ?? []
        let index = list.firstIndex { $0.body.sender == sender }
        if let index {
            body(&list[index])
        } else {
            var side = SideEvidence(BodyRow(exchange: id, sender: sender, head: []))
            body(&side)
            list.append(side)
        }
        sides[id] = list
    }

    mutating func finish(at: Instant) -> [Evidence] {
        var rows: [DerivedRow] = []
        dissector.flush(into: &rows)
        dissector.finish(at: at, into: &rows)
        take(rows)
        for id in exchangeOrder {
            guard let row = exchanges[id] else { continue }
            let request = sides[id]?.first { $0.body.sender == .client }
            let response = sides[id]?.first { $0.body.sender == .server }
            let touching = faults.filter { fault in
                fault.connection == row.connection && fault.at >= row.startedAt
                    && fault.at <= row.endedAt ?? at
            }
            let asked = ExchangeEvidence(row, request: request, faults: touching)
            made.append((row.requestEndedAt ?? row.startedAt, .asked(asked)))
            guard row.outcome != .open else { continue }
            let whole = ExchangeEvidence(
                row, request: request, response: response, faults: touching)
            made.append((row.endedAt ?? row.startedAt, .answered(whole)))
        }
        return made.enumerated().sorted {
            ($0.element.at, Self.rank($0.element.evidence), $0.offset)
                < ($1.element.at, Self.rank($1.element.evidence), $1.offset)
        }.map(\.element.evidence)
    }

    /// At one moment a connection comes first and an answer after the question.
    private static func rank(_ evidence: Evidence) -> Int {
        switch evidence {
        case .connection: 0
        case .fault: 1
        case .asked: 2
        case .answered: 3
        default: 4
        }
    }
}

extension MessageRow {
    /// Whether it looks like a command of Simperium or a frame of SockJS.
    fileprivate var isSimperium: Bool {
        payload.first.map { (0x30...0x39).contains($0) || "hl?a[".utf8.contains($0) } ?? false
    }
}
