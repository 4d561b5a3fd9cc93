import Dissection
import Framing
import Simperium
import Wire

@testable import Diagnosis

/// Turns records into evidence by way of the real decoders.
struct ScriptReader {
    private var dissector = Dissector()
    private var lastChunk: Int64 = 0
    private var exchanges: [ExchangeID: ExchangeRow] = [:]
    private var sides: [ExchangeID: [SideEvidence]] = [:]
    private var messages: [MessageID: MessageRow] = [:]
    private var made: [(at: Instant, evidence: Evidence)] = []
    private var exchangeOrder: [ExchangeID] = []

    mutating func put(_ record: Record) {
        var chunk: ChunkID?
        switch record {
        case .chunk:
            lastChunk += 1
            chunk = ChunkID(lastChunk)
        case .connection(let row): made.append((row.at, .connection(row)))
        case .event(let row): made.append((row.at, .event(row)))
        case .gap(let row): made.append((row.at, .gap(row)))
        default: break
        }
        var rows: [DerivedRow] = []
        dissector.consume(record, chunk: chunk, into: &rows)
        take(rows)
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
                    made.append((row.endedAt, .message(MessageEvidence(row, origin: .peer))))
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
        let evidence = CommandEvidence(row, text: text, origin: .peer, place: message.place)
        made.append((row.at, .command(evidence)))
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
            let asked = ExchangeEvidence(row, request: request)
            made.append((row.requestEndedAt ?? row.startedAt, .asked(asked)))
            guard row.outcome != .open else { continue }
            let whole = ExchangeEvidence(
                row, request: request, response: response)
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
