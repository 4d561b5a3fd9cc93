import Dissection
import Filters
import Notation
import Simperium
import Trace
import Wire

/// The objects that changes apply to, found in earlier commands of a trace.
struct ChangeBase {
    let reader: TraceReader

    /// The object that a change applies to, found in earlier commands.
    func object(
        _ change: SimperiumChange<Range<Int>>, _ key: String, _ bucket: String,
        _ detail: CommandDetail
    ) throws(Failure) -> JSONValue? {
        let before = try reader.reading { reader throws(TraceError) in
            try reader.commands(about: key, in: bucket, before: detail.row.id)
        }
        if let base = Self.ledger(of: before).base(of: change) { return base }
        let pages = try indexPages(bucket, before: detail.row.id)
        let all = (before + pages).sorted { $0.row.id > $1.row.id }
        return Self.ledger(of: all).base(of: change)
    }

    /// The ledger of a bucket after these commands, given in reverse order.
    private static func ledger(of commands: [CommandDetail]) -> Ledger {
        var ledger = Ledger()
        for known in commands.reversed() {
            ledger.see(
                SimperiumCommand.parse(known.text, from: known.row.sender), in: known.text)
        }
        return ledger
    }

    /// The index pages of a bucket before a command; they may carry objects.
    private func indexPages(
        _ bucket: String, before: CommandID
    ) throws(Failure) -> [CommandDetail] {
        var rows: [CommandID] = []
        let wanted = try? Filter.parse("command:i sender:server")
        try reader.reading { reader throws(TraceError) in
            try reader.lines(wanted) { line in
                guard case .command(_, let row) = line, row.id < before else { return true }
                if row.bucket == bucket { rows.append(row.id) }
                return rows.count < 1000
            }
        }
        var pages: [CommandDetail] = []
        for id in rows {
            let page = try reader.reading { reader throws(TraceError) in try reader.command(id) }
            if let page { pages.append(page) }
        }
        return pages
    }
}
