import Dissection
import Notation
import Simperium
import Trace
import Wire

/// The objects that changes apply to, for who shows commands in their order: every command is read
/// once, where ``ChangeBase`` searches for each change.
final class FollowedObjects {
    private let reader: TraceReader
    /// What the servers had, by bucket.
    private var ledgers: [String: Ledger] = [:]
    /// The last command that was looked at.
    private var last = CommandID(0)

    /// The objects of the trace of a reader.
    init(_ reader: TraceReader) { self.reader = reader }

    /// The object that a change of a command applies to; nil where that is not known.
    ///
    /// - Throws: ``Failure`` where the trace cannot be read.
    func object(
        _ change: SimperiumChange<Range<Int>>, _ key: String, _ bucket: String,
        before id: CommandID
    ) throws(Failure) -> JSONValue? {
        // Commands are shown in order of time, from which that of their numbers may differ.
        guard id > last else {
            return try ChangeBase(reader: reader).object(change, key, bucket, before: id)
        }
        try reader.reading { reader throws(TraceError) in
            try reader.objectCommands(after: last, before: id) { sender, bucket, text in
                ledgers[bucket, default: Ledger()].see(
                    SimperiumCommand.parse(text, from: sender), in: text)
            }
        }
        last = CommandID(id.rawValue - 1)
        return (ledgers[bucket] ?? Ledger()).base(of: change)
    }
}
