import Notation
import Wire

/// The members of a change.
enum ChangeField {
    case id, operation, value, sv, ev, cv, ccid, ccids, clientID, spelledClientID, error, data
}

extension CommandParser {
    /// The member of a change that `key` names; nil where there is none.
    func field(_ key: JSONDocument.Node) -> ChangeField? {
        field(key.range) ?? escapedField(key)
    }

    /// The same for what was written with escapes, which may be one nevertheless.
    func escapedField(_ key: JSONDocument.Node) -> ChangeField? {
        guard message[key.range].contains(0x5C) else { return nil }
        switch key.string {
        case "id": return .id
        case "o": return .operation
        case "v": return .value
        case "sv": return .sv
        case "ev": return .ev
        case "cv": return .cv
        case "ccid": return .ccid
        case "ccids": return .ccids
        case "clientid": return .clientID
        case "client_id": return .spelledClientID
        case "error": return .error
        case "d": return .data
        default: return nil
        }
    }

    /// The member that is between the quotes of `key`; nil where it is none as written.
    func field(_ key: Range<Int>) -> ChangeField? {
        ChangeField(message.span, key.lowerBound + 1..<key.upperBound - 1)
    }
}

extension ChangeField {
    /// The member that `name` is; nil where it is none as written.
    init?(_ span: borrowing Span<UInt8>, _ name: Range<Int>) {
        let start = name.lowerBound
        guard !name.isEmpty else { return nil }
        let found: ChangeField?
        switch (name.count, span[start]) {
        case (1, 0x6F): found = .operation
        case (1, 0x76): found = .value
        case (1, 0x64): found = .data
        case (2, 0x69): found = span[start + 1] == 0x64 ? .id : nil
        case (2, 0x73): found = span[start + 1] == 0x76 ? .sv : nil
        case (2, 0x65): found = span[start + 1] == 0x76 ? .ev : nil
        case (2, 0x63): found = span[start + 1] == 0x76 ? .cv : nil
        case (4, 0x63): found = Self.spells("ccid", span, at: start) ? .ccid : nil
        case (5, 0x63): found = Self.spells("ccids", span, at: start) ? .ccids : nil
        case (5, 0x65): found = Self.spells("error", span, at: start) ? .error : nil
        case (8, 0x63): found = Self.spells("clientid", span, at: start) ? .clientID : nil
        case (9, 0x63): found = Self.spells("client_id", span, at: start) ? .spelledClientID : nil
        default: found = nil
        }
        guard let found else { return nil }
        self = found
    }

    /// Whether `text` is at `place`, where there are enough bytes.
    private static func spells(
        _ text: StaticString, _ span: borrowing Span<UInt8>, at place: Int
    ) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where span[place + index] != text.utf8Start[index] {
            return false
        }
        return true
    }
}
