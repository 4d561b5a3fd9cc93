import Dissection
import Inspection
import Notation
import Simperium
import Trace
import Wire

/// Every version of an object that a trace has, with the object after each.
struct ObjectHistory {
    /// The most commands about an object that are looked at, the last of them.
    private static let most = 2_000

    let reader: TraceReader

    /// A JSON array, in order of time.
    ///
    /// - Parameters:
    ///   - key: The key of the object.
    ///   - bucket: Its bucket.
    /// - Returns: An object for each command about it: who sent it, the change, and the object that the
    ///   server has afterwards, where that is known.
    /// - Throws: ``Failure`` where the trace cannot be read.
    func json(of key: String, in bucket: String) throws(Failure) -> String {
        let commands = try reader.reading { reader throws(TraceError) in
            try reader.commands(about: key, in: bucket, before: CommandID(.max), limit: Self.most)
        }
        let clock = TraceClock(
            try reader.reading { r throws(TraceError) in try r.sessions() })
        var ledger = try ChangeBase(reader: reader).ledger(
            of: bucket, before: commands.last?.row.id ?? CommandID(.max))
        var items: [String] = []
        for detail in commands.reversed() {
            ledger.see(
                SimperiumCommand.parse(detail.text, from: detail.row.sender), in: detail.text)
            let object = ledger.objects[ExactText(key)]
            items.append(item(detail, key, object, clock))
        }
        return "[\(items.joined(separator: ","))]"
    }

    private func item(
        _ detail: CommandDetail, _ key: String, _ object: Ledger.Object?, _ clock: TraceClock
    ) -> String {
        let row = detail.row
        let change = detail.changes.first { $0.key == key }
        var made = JSONObjectText()
        made.add("row", "c\(row.id)")
        made.add("at_ns", clock.nanoseconds(row.at, in: detail.session))
        made.add("connection_id", row.connection.rawValue)
        made.add("sender", row.sender.description)
        made.add("command", row.name)
        made.add("operation", change?.operation)
        made.add("sv", change?.sv)
        made.add("ev", change?.ev)
        made.add("ccid", change?.ccid)
        made.add("cv", change?.cv)
        made.add("error", (change?.error ?? row.error).map(Int64.init))
        let text = change.flatMap { Self.slice(detail.text, $0.offset, $0.size) }
        made.add("change", raw: Self.json(text))
        // What a client sends is not yet what the server has.
        let isKnown = row.sender == .server
        made.add("version", isKnown ? object?.version : nil)
        made.add("data", raw: Self.json(isKnown ? object?.json : nil))
        return made.text
    }

    private static func slice(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> [UInt8]? {
        guard offset >= 0, size >= 0, offset <= bytes.count, size <= bytes.count - offset else {
            return nil
        }
        return Array(bytes[offset..<offset + size])
    }

    /// JSON of a peer as a member; null where it is none.
    private static func json(_ bytes: [UInt8]?) -> String {
        guard let bytes else { return "null" }
        let text = String(decoding: bytes, as: UTF8.self)
        return (try? JSONDocument.scan(Array(text.utf8), limits: .usual)) == nil ? "null" : text
    }
}
