import Dissection
import Faults
import Filters
import Notation
import Simperium
import Trace
import Wire

/// The objects that changes apply to, found in earlier commands of a trace.
struct ChangeBase {
    let reader: TraceReader

    /// The object that a change applies to, found in commands before `id`.
    func object(
        _ change: SimperiumChange<Range<Int>>, _ key: String, _ bucket: String,
        before id: CommandID
    ) throws(Failure) -> JSONValue? {
        let earlier = try reader.reading { reader throws(TraceError) in
            try reader.commands(about: key, in: bucket, before: id)
        }
        if let base = Self.ledger(of: earlier).base(of: change) { return base }
        let pages = try indexPages(bucket, before: id)
        let all = (earlier + pages).sorted { $0.row.id > $1.row.id }
        return Self.ledger(of: all).base(of: change)
    }

    /// The change of a command, to be edited as the object after it.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - sender: Who sent it.
    ///   - bucket: Its bucket.
    ///   - id: Its number; nil for one that is still on its way.
    /// - Returns: The change; nil where the command has not exactly one, or the object that it changes
    ///   is not known.
    /// - Throws: ``Failure`` where the trace cannot be read.
    func change(
        _ command: [UInt8], from sender: Peer, in bucket: String, _ id: CommandID? = nil
    ) throws(Failure) -> EditableChange? {
        guard case .changes(let changes) = SimperiumCommand.parse(command, from: sender).body,
            changes.count == 1, let key = changes[0].key
        else { return nil }
        var own = id
        if own == nil {
            // What was sent may be in the trace already; the server's ledger is past it then.
            let newest = try reader.reading { reader throws(TraceError) in
                try reader.commands(about: key, in: bucket, before: CommandID(.max))
            }
            own = newest.first { $0.row.sender == sender && $0.text == command }?.row.id
        }
        let base = try object(changes[0], key, bucket, before: own ?? CommandID(.max))
        return base.flatMap { EditableChange(command, from: sender, base: $0) }
    }

    /// The ledger of a bucket after the index pages before a command, which may carry objects.
    func ledger(of bucket: String, before id: CommandID) throws(Failure) -> Ledger {
        Self.ledger(of: try indexPages(bucket, before: id).sorted { $0.row.id > $1.row.id })
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
