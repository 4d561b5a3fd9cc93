public import Dissection
internal import Storage
public import Wire

/// Finds where rows begin, by which findings are stored.
public final class FindingPlaces {
    private let reader: TraceReader
    private var exchanges: Statement?
    private var messages: Statement?

    /// Looks in the trace of `contents`.
    public init(_ contents: ReplayReader) { reader = contents.reader }

    /// Where the request of an exchange begins; nil where it is not there.
    public func place(of id: ExchangeID) throws(TraceError) -> Place? {
        try place(
            "SELECT request_chunk_id, request_offset FROM any_exchange WHERE id = ?", id.rawValue,
            \.exchanges)
    }

    /// Where a message begins; nil where it is not there.
    public func place(of id: MessageID) throws(TraceError) -> Place? {
        try place(
            "SELECT chunk_id, \"offset\" FROM any_message WHERE id = ?", id.rawValue, \.messages)
    }

    private func place(
        _ sql: String, _ id: Int64, _ kept: ReferenceWritableKeyPath<FindingPlaces, Statement?>
    ) throws(TraceError) -> Place? {
        try reader.reported { () throws(StorageFault) in
            let statement: Statement
            if let known = self[keyPath: kept] {
                statement = known
            } else {
                statement = try reader.db.prepare(sql)
                self[keyPath: kept] = statement
            }
            defer { statement.reset() }
            statement.bind(1, id)
            return try statement.step() ? statement.place(0) : nil
        }
    }
}
