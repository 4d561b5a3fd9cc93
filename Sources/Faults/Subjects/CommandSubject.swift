public import Dissection
public import Filters
import Wire

/// A Simperium command as rules see it while it passes.
///
/// The values are those of the trace's rows, apart from numbers that only the trace issues.
public struct CommandSubject: FilterSubjectValues, Sendable {
    /// The message it came in.
    public var message: MessageSubject
    /// The command.
    public var row: CommandRow
    /// Its changes.
    public var changes: [ChangeRow]

    /// The command `row` of `message`, with its changes.
    public init(message: MessageSubject, row: CommandRow, changes: [ChangeRow] = []) {
        self.message = message
        self.row = row
        self.changes = changes
    }

    /// A command.
    public var subject: FilterSubject { .command }

    /// The value of `field`, as the trace has it.
    public func value(of field: Field, name: String?) -> FilterValue? {
        switch field {
        case .id: .integer(row.id.rawValue)
        case .session: .integer(message.session.rawValue)
        case .connection: .integer(row.connection.rawValue)
        case .at: .integer(row.at.nanoseconds)
        case .size: .integer(Int64(row.payloadSize))
        case .text: message.payload
        case .body, .payload: payload
        case .note: message.value(of: .note, name: nil)
        case .problem: row.problem.map(FilterValue.text)
        case .sender: .text(row.sender.description)
        case .command: texts(row.names)
        case .channel: row.channel.map { .integer(Int64($0)) }
        case .bucket: row.bucket.map(FilterValue.text)
        case .app: row.app.map(FilterValue.text)
        case .key: texts([row.key] + changes.map(\.key))
        case .cv: texts([row.cv] + changes.map(\.cv))
        case .error:
            .several(
                ([row.error] + changes.map(\.error)).compactMap { $0 }
                    .map { .integer(Int64($0)) })
        case .ccid: texts(changes.map(\.ccid))
        case .clientid: texts(changes.map(\.clientID))
        case .operation: texts(changes.map(\.operation))
        case .sv: .several(changes.compactMap { $0.sv.map(FilterValue.integer) })
        case .ev: .several(changes.compactMap { $0.ev.map(FilterValue.integer) })
        default: nil
        }
    }

    private var payload: FilterValue? {
        guard row.payloadSize > 0 else { return nil }
        let whole = row.text ?? message.row.payload
        let start = min(row.payloadOffset, whole.count)
        let bytes = Array(whole[start..<min(whole.count, start + row.payloadSize)])
        return String(validating: bytes, as: UTF8.self) == nil ? .bytes(bytes) : .utf8(bytes)
    }

    private func texts(_ values: [String?]) -> FilterValue {
        .several(values.compactMap { $0.map(FilterValue.text) })
    }
}
