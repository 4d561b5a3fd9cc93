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
        let name = key.lowerBound + 1..<key.upperBound - 1
        let start = name.lowerBound
        guard !name.isEmpty else { return nil }
        switch (name.count, message[start]) {
        case (1, 0x6F): return .operation
        case (1, 0x76): return .value
        case (1, 0x64): return .data
        case (2, 0x69): return message[start + 1] == 0x64 ? .id : nil
        case (2, 0x73): return message[start + 1] == 0x76 ? .sv : nil
        case (2, 0x65): return message[start + 1] == 0x76 ? .ev : nil
        case (2, 0x63): return message[start + 1] == 0x76 ? .cv : nil
        case (4, 0x63): return spells("ccid", at: start) ? .ccid : nil
        case (5, 0x63): return spells("ccids", at: start) ? .ccids : nil
        case (5, 0x65): return spells("error", at: start) ? .error : nil
        case (8, 0x63): return spells("clientid", at: start) ? .clientID : nil
        case (9, 0x63): return spells("client_id", at: start) ? .spelledClientID : nil
        default: return nil
        }
    }

    /// Whether `text` is at `place`, where the message has enough bytes.
    private func spells(_ text: StaticString, at place: Int) -> Bool {
        text.withUTF8Buffer { bytes in
            for index in bytes.indices where message[place + index] != bytes[index] { return false }
            return true
        }
    }
}
