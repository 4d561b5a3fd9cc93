internal import Dissection
internal import Filters
internal import Trace
internal import Wire

/// The faults of a recording as a plan that does the same to the same messages of another session.
enum FaultLines {
    /// The lines of the plan, one for each fault in order; none where none was done.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    static func all(of reader: TraceReader) throws(TraceError) -> [String] {
        var lines: [String] = []
        for fault in try reader.faults() where fault.row.isDone {
            guard let target = try target(of: fault, reader) else { continue }
            let filter = LineFilter.text(of: target, answered: false)
            let number = try reader.count(filter, upTo: target, of: .all)
            lines.append("\(filter) => \(fault.row.action) nth=\(number)")
        }
        return lines
    }

    /// The row that a fault was done to.
    private static func target(
        of fault: FaultDetail, _ reader: TraceReader
    ) throws(TraceError) -> TraceLine? {
        var found: TraceLine?
        try reader.lines(nil, of: .all) { line in
            switch line {
            case .exchange(_, let row):
                if fault.message == nil, fault.command == nil, row.id == fault.exchange {
                    found = line
                }
            case .command(_, let row):
                if row.id == fault.command || row.message == fault.message { found = line }
            case .message: break
            }
            return found == nil
        }
        return found
    }
}

extension TraceReader {
    /// The number of lines that pass a filter, up to one of them and including it.
    func count(
        _ text: String, upTo last: TraceLine, of side: LineSide = .client
    ) throws(TraceError) -> Int {
        guard let filter = try? Filter.parse(text) else { return 1 }
        var count = 0
        try lines(filter, of: side) { line in
            count += 1
            return line != last
        }
        return max(count, 1)
    }
}
