import Dissection
import Filters
import Wire

/// An exchange in a gate to a filter, whose row is made when a filter first asks for a value.
final class LiveSubject: FilterSubjectValues {
    private let exchange: LiveExchange
    private let context: GateContext
    private let endedAt: Instant?
    private var made: ExchangeSubject?

    /// An exchange that is in progress, or whose response ended at `endedAt`.
    init(_ exchange: LiveExchange, _ context: GateContext, endedAt: Instant? = nil) {
        self.exchange = exchange
        self.context = context
        self.endedAt = endedAt
    }

    var subject: FilterSubject { .exchange }

    func value(of field: Field, name: String?) -> FilterValue? {
        values.value(of: field, name: name)
    }

    /// Whose event it is.
    var scope: FaultScope {
        let row = values.row
        return FaultScope(
            connection: context.connection, client: row.device ?? context.client,
            key: "\(row.method) \(row.path)")
    }

    private var values: ExchangeSubject {
        if let made { return made }
        var row = exchange.row(context)
        if let endedAt {
            row.endedAt = endedAt
            row.outcome = exchange.requestEndedAt == nil ? .requestCut : .complete
        }
        let subject = ExchangeSubject(
            session: context.session, row: row, contents: exchange.contents)
        made = subject
        return subject
    }
}
