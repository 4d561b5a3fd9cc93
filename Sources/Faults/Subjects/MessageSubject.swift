public import Dissection
public import Filters
public import Wire

/// A WebSocket message as rules see it while it passes.
///
/// The values are those of the trace's rows, apart from numbers that only the trace issues.
public struct MessageSubject: FilterSubjectValues, Sendable {
    /// The session.
    public var session: SessionID
    /// The message.
    public var row: MessageRow
    /// What is odd about it and about the commands in it.
    public var notes: [NoteRow]

    /// The message `row`, with its notes.
    public init(session: SessionID, row: MessageRow, notes: [NoteRow] = []) {
        self.session = session
        self.row = row
        self.notes = notes
    }

    /// A message.
    public var subject: FilterSubject { .message }

    var payload: FilterValue? {
        guard row.size > 0 else { return nil }
        return row.isText ? .utf8(row.payload) : .bytes(row.payload)
    }

    /// The value of `field`, as the trace has it.
    public func value(of field: Field, name: String?) -> FilterValue? {
        switch field {
        case .id: .integer(row.id.rawValue)
        case .session: .integer(session.rawValue)
        case .connection: .integer(row.connection.rawValue)
        case .at: .integer(row.at.nanoseconds)
        case .size: .integer(row.size)
        case .duration: .integer(row.endedAt.nanoseconds - row.at.nanoseconds)
        case .body, .payload, .text: payload
        case .note: .several(notes.map { .text($0.code) })
        case .problem: row.problem.map(FilterValue.text)
        case .sender: .text(row.sender.description)
        case .opcode: .integer(Int64(row.opcode))
        case .closeCode: row.closeCode.map { .integer(Int64($0)) }
        default: nil
        }
    }
}
