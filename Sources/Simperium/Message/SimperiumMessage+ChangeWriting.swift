import Notation
import Wire

extension SimperiumChange<JSONValue> {
    /// The change as its sender writes it.
    func json(by sender: Peer) -> JSONValue {
        sender == .client ? clientJSON : error == nil ? serverJSON : refusalJSON
    }

    private var identifiers: JSONValue? {
        ccids.isEmpty ? nil : .array(ccids.map { .string($0) })
    }

    private var clientJSON: JSONValue {
        // Several have no other spelling, although no client sends it.
        let isPlural = ccids.count > 1
        return JSONValue(members: [
            ("clientid", .text(clientID)), ("id", .text(key)), ("o", .text(operation?.text)),
            ("v", value), ("ccid", isPlural ? nil : .text(ccids.first)),
            ("ccids", isPlural ? identifiers : nil), ("sv", .int(sv)), ("ev", .int(ev)),
            ("cv", .text(cv)), ("d", data), ("error", .int(error)),
        ])
    }

    private var serverJSON: JSONValue {
        JSONValue(members: [
            ("clientid", .text(clientID)), ("id", .text(key)), ("o", .text(operation?.text)),
            ("v", value), ("sv", .int(sv)), ("ev", .int(ev)), ("cv", .text(cv)),
            ("ccids", identifiers), ("d", data),
        ])
    }

    private var refusalJSON: JSONValue {
        JSONValue(members: [
            ("ccids", identifiers), ("id", .text(key)), ("clientid", .text(clientID)),
            ("error", .int(error)), ("o", .text(operation?.text)), ("v", value), ("sv", .int(sv)),
            ("ev", .int(ev)), ("cv", .text(cv)), ("d", data),
        ])
    }
}
