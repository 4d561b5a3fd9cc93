import Notation
import Wire

extension SimperiumNote {
    var json: JSONValue {
        JSONValue(members: [
            ("code", .string(code.rawValue)), ("text", .string(detail)),
            ("field", .text(field) ?? .null), ("offset", .int(offset)),
        ])
    }
}

extension SimperiumChange<Range<Int>> {
    func described(in message: [UInt8]) -> JSONValue {
        JSONValue(members: [
            ("key", .text(key) ?? .null), ("operation", .text(operation?.text) ?? .null),
            ("sv", .int(sv) ?? .null), ("ev", .int(ev) ?? .null), ("cv", .text(cv) ?? .null),
            ("ccids", .array(ccids.map { .string($0) })), ("client_id", .text(clientID) ?? .null),
            ("error", .int(error) ?? .null),
            ("error_text", .text(error.map { SimperiumErrorCode.detail($0) }) ?? .null),
            ("value", value.flatMap { JSONValue($0, of: message) } ?? .null),
            ("data", data.flatMap { JSONValue($0, of: message) } ?? .null),
        ])
    }
}

extension IndexPage<Range<Int>>.Entry {
    func described(in message: [UInt8]) -> JSONValue {
        JSONValue(members: [
            ("key", .text(key) ?? .null), ("version", .int(version) ?? .null),
            ("data", data.flatMap { JSONValue($0, of: message) } ?? .null),
        ])
    }
}

extension PendingChange {
    var described: JSONValue {
        JSONValue(members: [
            ("key", .text(key) ?? .null), ("sv", .int(sv) ?? .null), ("ccid", .text(ccid) ?? .null),
        ])
    }
}

extension IndexRequest {
    /// The slots by their names.
    var described: [(key: String, value: JSONValue?)] {
        [
            ("wants_data", .bool(wantsData)), ("mark", .text(mark)),
            ("second_slot", .string(second)),
            ("third_slot", .string(third)), ("limit", .int(limit)),
        ]
    }
}

extension InitRequest.Request {
    var described: JSONValue {
        switch self {
        case .index(let request):
            JSONValue(
                members: [("kind", .string("index_request"))]
                    + request.described.map { ($0.key, $0.value ?? .null) })
        case .changesSince(let cv):
            JSONValue(members: [("kind", .string("changes_since")), ("cv", .string(cv))])
        case .other: JSONValue(members: [("kind", .string("other"))])
        }
    }
}
