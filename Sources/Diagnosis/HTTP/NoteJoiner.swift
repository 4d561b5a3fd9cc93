import Dissection
import Wire

/// Joins the decoders' notes with the exchanges they are about, in either order.
struct NoteJoiner {
    private let prefix: String
    private var waiting: [ExchangeID: [NoteRow]] = [:]
    private var recent: [ExchangeEvidence] = []
    private var next = 0

    /// The maximum number of exchanges that notes wait for.
    private static let maxWaiting = 4_096
    /// The maximum number of notes that wait for one exchange; more than there are kinds.
    private static let maxNotes = 32
    /// The number of exchanges that are remembered for late notes.
    private static let maxRecent = 64

    /// Takes notes whose codes begin with `prefix`.
    init(prefix: String) { self.prefix = prefix }

    /// Takes a note.
    ///
    /// - Returns: The note with its exchange, if that is known or there is none; nil where it
    ///   waits.
    mutating func take(_ note: NoteRow) -> (NoteRow, ExchangeEvidence?)? {
        guard note.code.hasPrefix(prefix) else { return nil }
        guard let id = note.exchange else { return (note, nil) }
        if let known = recent.last(where: { $0.row.id == id }),
            note.sender == .client || known.row.endedAt != nil
        {
            return (note, known)
        }
        if waiting.count >= Self.maxWaiting, waiting[id] == nil { waiting.removeAll() }
        if waiting[id, default: []].count < Self.maxNotes { waiting[id, default: []].append(note) }
        return nil
    }

    /// The notes about a request that waited for it.
    mutating func asked(_ exchange: borrowing ExchangeEvidence) -> [(NoteRow, ExchangeEvidence)] {
        remember(exchange)
        return leave(exchange, .client)
    }

    /// The notes about an exchange that waited for its end.
    mutating func answered(
        _ exchange: borrowing ExchangeEvidence
    ) -> [(NoteRow, ExchangeEvidence)] {
        remember(exchange)
        return leave(exchange, .server) + leave(exchange, .client)
    }

    private mutating func leave(
        _ exchange: borrowing ExchangeEvidence, _ sender: Peer
    ) -> [(NoteRow, ExchangeEvidence)] {
        guard !waiting.isEmpty, let notes = waiting[exchange.row.id] else { return [] }
        let others = notes.filter { $0.sender != sender }
        waiting[exchange.row.id] = others.isEmpty ? nil : others
        let exchange = copy exchange
        return notes.filter { $0.sender == sender }.map { ($0, exchange) }
    }

    /// Keeps an exchange without its content.
    private mutating func remember(_ exchange: borrowing ExchangeEvidence) {
        let light = ExchangeEvidence(
            exchange.row, request: nil, response: nil, faults: exchange.faults)
        if recent.count < Self.maxRecent {
            recent.append(light)
        } else {
            recent[next] = light
            next = (next + 1) % Self.maxRecent
        }
    }
}
