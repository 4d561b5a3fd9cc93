public import Filters
import Wire

/// A connection as rules see it before anything was sent on it.
public struct ConnectionSubject: FilterSubjectValues, Sendable {
    private let context: GateContext
    private let host: String?
    private let port: Int?

    /// The connection, and the host and port that its client requests where they are known.
    public init(_ context: GateContext, host: String? = nil, port: Int? = nil) {
        self.context = context
        self.host = host ?? context.server?.host
        self.port = port ?? context.server?.port
    }

    /// Connections are judged as what they will carry.
    public var subject: FilterSubject { .exchange }

    /// The number of session or connection, host or port; nothing else is known.
    public func value(of field: Field, name: String?) -> FilterValue? {
        switch field {
        case .session: .integer(context.session.rawValue)
        case .connection: .integer(context.connection.rawValue)
        case .host: host.map(FilterValue.text)
        case .port: port.map { .integer(Int64($0)) }
        default: nil
        }
    }
}
