import Addons
import Dissection
import Faults
import Trace
import Wire

/// The events of a trace as an add-on is asked about them.
final class StoredEvents {
    /// The row that an event was made of.
    struct Row: Sendable {
        let kind: AddonEventKind
        let number: Int64
        let at: Instant

        /// As `show` names it.
        var name: String {
            switch kind {
            case .request, .response: "\(number)"
            case .message: "m\(number)"
            case .command: "c\(number)"
            case .connection: "k\(number)"
            }
        }
    }

    private let reader: TraceReader
    private let kinds: Set<AddonEventKind>
    private var connections: Set<ConnectionID> = []

    /// Those of a trace, of these kinds.
    init(reader: TraceReader, kinds: Set<AddonEventKind>) {
        self.reader = reader
        self.kinds = kinds
    }

    /// Passes on the events of a line of the trace, in order.
    func forEach(
        of line: TraceLine, _ body: (AddonEvent, Row) -> Void
    ) throws(TraceError) {
        switch line {
        case .exchange(_, let row):
            try connection(row.connection, body)
            guard !kinds.isDisjoint(with: [.request, .response]),
                let detail = try reader.exchange(row.id)
            else { return }
            let exchange = AddonExchange(
                session: detail.session, row: detail.row, request: detail.request,
                response: detail.response, documents: detail.documents, notes: detail.notes)
            for kind in [AddonEventKind.request, .response] where kinds.contains(kind) {
                if kind == .response, detail.row.status == nil { continue }
                let event = AddonEvent(kind, of: exchange, isStored: true)
                body(event, Row(kind: kind, number: row.id.rawValue, at: event.at))
            }
        case .message(let session, let row):
            try connection(row.connection, body)
            guard kinds.contains(.message) else { return }
            let detail = try reader.message(row.id)
            let message = MessageSubject(
                session: session, row: detail?.row ?? row, notes: detail?.notes ?? [])
            body(
                AddonEvent(message, isStored: true),
                Row(kind: .message, number: row.id.rawValue, at: row.endedAt))
        case .command(let session, let row):
            try connection(row.connection, body)
            guard kinds.contains(.command), let detail = try reader.command(row.id),
                let message = try reader.message(row.message)
            else { return }
            var command = detail.row
            command.text = detail.text
            let subject = CommandSubject(
                message: MessageSubject(session: session, row: message.row, notes: message.notes),
                row: command, changes: detail.changes)
            body(
                AddonEvent(subject, isStored: true),
                Row(kind: .command, number: row.id.rawValue, at: row.at))
        }
    }

    private func connection(
        _ id: ConnectionID, _ body: (AddonEvent, Row) -> Void
    ) throws(TraceError) {
        guard kinds.contains(.connection), connections.insert(id).inserted,
            let detail = try reader.connection(id)
        else { return }
        body(
            AddonEvent(detail.row, isStored: true),
            Row(kind: .connection, number: id.rawValue, at: detail.row.at))
    }
}
