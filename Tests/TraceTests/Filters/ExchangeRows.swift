import Dissection
import Faults
import Wire

/// The rows of an exchange, in a trace and as live traffic shows them to a filter.
struct ExchangeRows {
    var session: SessionID
    var row: ExchangeRow
    var bodies: [BodyRow] = []
    var documents: [OpenRosaRow] = []
    var notes: [NoteRow] = []

    /// The same for a filter.
    var subject: ExchangeSubject {
        ExchangeSubject(
            session: session, row: row, bodies: bodies, documents: documents, notes: notes)
    }
}
