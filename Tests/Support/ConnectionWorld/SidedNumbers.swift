import Dissection
import Wire

/// Numbers of rows counted on each side by itself.
///
/// The rows of the server's side get their numbers where they turn out to differ, which is at the end of
/// a read: how many rows of the client's side have one by then depends on where reads are cut.
struct SidedNumbers {
    private var exchanges: [ExchangeID: ExchangeID] = [:]
    private var messages: [MessageID: MessageID] = [:]
    private var commands: [CommandID: CommandID] = [:]

    /// The numbers of all of `rows`.
    init(_ rows: [DerivedRow]) {
        var (exchanges, messages, commands):
            ([ExchangeID: Bool], [MessageID: Bool], [CommandID: Bool])
        (exchanges, messages, commands) = ([:], [:], [:])
        for row in rows {
            switch row {
            case .exchange(let row): exchanges[row.id] = row.side == .server
            case .message(let row): messages[row.id] = row.side == .server
            case .command(let row): commands[row.id] = row.side == .server
            default: continue
            }
        }
        self.exchanges = Self.counted(exchanges)
        self.messages = Self.counted(messages)
        self.commands = Self.counted(commands)
    }

    private static func counted<Kind>(
        _ sides: [Identifier<Kind>: Bool]
    ) -> [Identifier<Kind>: Identifier<Kind>] {
        var numbers: [Identifier<Kind>: Identifier<Kind>] = [:]
        var (own, others): (Int64, Int64) = (0, 1 << 32)
        for id in sides.keys.sorted() {
            if sides[id] == true {
                others += 1
                numbers[id] = Identifier(others)
            } else {
                own += 1
                numbers[id] = Identifier(own)
            }
        }
        return numbers
    }

    /// A row with these numbers.
    func callAsFunction(_ row: DerivedRow) -> DerivedRow {
        switch row {
        case .exchange(var row):
            row.id = exchanges[row.id] ?? row.id
            row.counterpart = row.counterpart.map { exchanges[$0] ?? $0 }
            return .exchange(row)
        case .body(var row):
            row.exchange = exchanges[row.exchange] ?? row.exchange
            return .body(row)
        case .part(var row):
            row.exchange = exchanges[row.exchange] ?? row.exchange
            return .part(row)
        case .openRosa(var row):
            row.exchange = exchanges[row.exchange] ?? row.exchange
            return .openRosa(row)
        case .caseBlock(var row):
            row.exchange = exchanges[row.exchange] ?? row.exchange
            return .caseBlock(row)
        case .frame(var row):
            row.message = messages[row.message] ?? row.message
            return .frame(row)
        case .message(var row):
            row.id = messages[row.id] ?? row.id
            row.exchange = exchanges[row.exchange] ?? row.exchange
            row.counterpart = row.counterpart.map { messages[$0] ?? $0 }
            return .message(row)
        case .command(var row):
            row.id = commands[row.id] ?? row.id
            row.message = messages[row.message] ?? row.message
            row.counterpart = row.counterpart.map { commands[$0] ?? $0 }
            return .command(row)
        case .change(var row):
            row.command = commands[row.command] ?? row.command
            return .change(row)
        case .note(var row):
            row.exchange = row.exchange.map { exchanges[$0] ?? $0 }
            row.message = row.message.map { messages[$0] ?? $0 }
            return .note(row)
        }
    }
}
