internal import Dissection
public import Filters
internal import Storage

/// Which row a line of a listing is, in 16 bytes.
public struct LinePlace: Hashable, Sendable {
    /// What it is.
    public let subject: FilterSubject
    /// Its number among those.
    public let id: Int64

    /// The row of this number.
    public init(_ subject: FilterSubject, _ id: Int64) {
        self.subject = subject
        self.id = id
    }
}

extension TraceLine {
    /// Which row it is.
    public var place: LinePlace {
        switch self {
        case .exchange: LinePlace(.exchange, id)
        case .command: LinePlace(.command, id)
        case .message: LinePlace(.message, id)
        }
    }
}

extension TraceReader {
    /// A number that differs after another program or thread has changed the trace.
    func changesOfOthers() throws(TraceError) -> Int64 {
        try reported { () throws(StorageFault) in try db.integer("PRAGMA data_version") }
    }

    /// The lines at some places, in their order; without those that are not there.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func lines(at places: some Sequence<LinePlace>) throws(TraceError) -> [TraceLine] {
        try reported { () throws(StorageFault) in
            var statements: [FilterSubject: (LineQuery, Statement)] = [:]
            var lines: [TraceLine] = []
            for place in places {
                let (query, statement): (LineQuery, Statement)
                if let known = statements[place.subject] {
                    (query, statement) = known
                } else {
                    query = LineQuery(
                        place.subject, .whole, in: place.subject.table, where: .always, "")
                    statement = try query.prepare(db)
                    statements[place.subject] = (query, statement)
                }
                lines += try query.page(place.id...place.id, statement).lines
            }
            return lines
        }
    }
}

extension FilterSubject {
    /// The table or view with all its rows.
    var table: String {
        switch self {
        case .exchange: "any_exchange"
        case .command: "any_command"
        case .message: "any_message"
        }
    }
}
