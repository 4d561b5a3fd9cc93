import Dissection
import Faults
import Formats
import Notation
import Wire

extension AddonEvent {
    /// Names of rows' columns that live traffic does not know yet.
    private static let storedOnly: Set<String> = [
        "session_id", "message_id", "exchange_id", "side", "fate", "counterpart_id", "time",
    ]

    /// The decoded meaning: the members that `ls --json` prints of the row, and what `show --json`
    /// has of heads, bodies, documents and changes.
    public var members: [AddonMember] {
        switch subject {
        case .exchange(let exchange):
            var members = shown(.exchange(exchange.row, exchange.session, since: nil))
            if kind == .request {
                let ofResponse: Set = [
                    "status", "ended_ns", "response_size", "outcome", "problem", "retry_after",
                    "is_local",
                ]
                members.removeAll { ofResponse.contains($0.name) }
            }
            let documents = exchange.documents.filter { kind == .response || $0.sender == .client }
            members.append(AddonMember("request", body(exchange.request)))
            if kind == .response {
                members.append(AddonMember("response", body(exchange.response)))
            }
            members.append(
                AddonMember("openrosa", .list(documents.map { .object(whole(.document($0))) })))
            return members
        case .message(let message):
            return shown(.message(message.row, message.session, since: nil, hasBody: true))
        case .command(let command):
            let session = command.message.session
            var members = shown(.command(command.row, session, bytes, since: nil))
            members.append(
                AddonMember(
                    "changes", .list(command.changes.map { .object(whole(.change($0))) })))
            return members
        case .connection(let row): return shown(.connection(row))
        }
    }

    private func body(_ row: BodyRow?) -> AddonValue {
        row.map { .object(whole(.body($0))) } ?? .null
    }

    /// Members of a row within the event.
    private func whole(_ row: ExportedRow) -> [AddonMember] {
        row.members.map { AddonMember($0.name, AddonValue($0.cell)) }
    }

    /// Members of the row of the event; its number is called `row`, since the event has an identifier.
    private func shown(_ row: ExportedRow) -> [AddonMember] {
        row.members.compactMap { member in
            switch member.name {
            case "kind", "time", "sender", "connection_id": return nil
            case "id":
                return isStored ? AddonMember("row", AddonValue(member.cell)) : nil
            default:
                if !isStored, Self.storedOnly.contains(member.name) { return nil }
                return AddonMember(member.name, AddonValue(member.cell))
            }
        }
    }

    /// The line that asks an add-on.
    ///
    /// - Parameters:
    ///   - id: The identifier of the event.
    ///   - interest: What the add-on's subscriptions ask for.
    /// - Returns: The line with its end.
    public func line(id: Int64, _ interest: AddonInterest) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        line += #"{"id":"#.utf8
        line += String(id).utf8
        line += #","event":""#.utf8
        line += kind.rawValue.utf8
        line += #"","on":["#.utf8
        for (place, number) in interest.subscriptions.enumerated() {
            if place > 0 { line.append(0x2C) }
            line += String(number).utf8
        }
        line += #"],"at_ns":"#.utf8
        line += String(at.nanoseconds).utf8
        line += #","connection_id":"#.utf8
        line += String(connection.rawValue).utf8
        if let sender {
            line += #","sender":""#.utf8
            line += sender.description.utf8
            line.append(0x22)
        }
        if interest.isDecoded {
            for member in members where member.name != "at_ns" {
                line.append(0x2C)
                member.writeJSON(to: &line)
            }
        }
        if interest.hasBytes {
            line += #","bytes":""#.utf8
            Base64.encode(bytes, to: &line)
            line.append(0x22)
        }
        line += "}\n".utf8
        return line
    }
}

extension AddonValue {
    /// The value of a cell.
    init(_ cell: ExportedRow.Cell) {
        self =
            switch cell {
            case .null: .null
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            case .list(let texts): .list(texts.map { .text($0) })
            }
    }
}
