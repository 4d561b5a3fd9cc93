internal import Dissection
public import Filters
public import Trace
public import Wire

extension PacketExport {
    /// The connections of a trace on which an exchange, command or message fits `filter`.
    ///
    /// - Parameters:
    ///   - filter: What has to fit.
    ///   - trace: The trace.
    /// - Returns: Their numbers.
    /// - Throws: ``FileError``.
    public static func connections(
        fitting filter: Filter, in trace: String
    ) throws(FileError) -> Set<ConnectionID> {
        try mappingErrors(of: trace) {
            let reader = try TraceReader(path: trace)
            var found: Set<ConnectionID> = []
            try reader.lines(filter) { line in
                switch line {
                case .exchange(_, let row): found.insert(row.connection)
                case .command(_, let row): found.insert(row.connection)
                case .message(_, let row): found.insert(row.connection)
                }
                return true
            }
            try reader.messages(filter) { _, row in
                found.insert(row.connection)
                return true
            }
            return found
        }
    }
}
