package import Dissection
import Wire

/// Simperium commands, and notes.
extension Tables {
    /// `any_command`.
    package static let command: Table<CommandRow> = Table(
        "any_command",
        "one Simperium command, of either side; the view command adds its payload",
        blank: CommandRow(
            id: CommandID(0), message: MessageID(0), connection: ConnectionID(0), position: 0,
            sender: .client, at: .zero, channel: nil, name: "", bucket: nil, app: nil, text: nil,
            payloadOffset: 0, payloadSize: 0, key: nil, cv: nil, error: nil, problem: nil),
        counter: "command",
        onConflict: .revise(["fate", "counterpart_id"]),
        indexes: [
            TableIndex("any_command_message", on: "any_command(message_id)")
        ],
        [
            .key("id", "number of the command", \.id, \.id),
            .given("session_id", "the session", .session),
            .value("message_id", "its message", \.message, \.message),
            .value("connection_id", "the connection", \.connection, \.connection),
            .value(
                "position",
                "place among the commands of the message; above 0 only in SockJS frames",
                \.position, \.position
            ),
            .value("sender", "0 client, 1 server", \.sender, \.sender),
            .value("at_ns", "when the last byte of its message arrived", \.at, \.at),
            .value("channel", "channel; null for commands of the connection", \.channel, \.channel),
            .value(
                "name", "init, auth, i, e, cv, c, o, h, index, log, ?, or as sent", \.name, \.name),
            .value(
                "bucket", "bucket the channel was opened for, if that was seen", \.bucket, \.bucket),
            .value("app", "application of the socket", \.app, \.app),
            .bytes(
                "text", "TEXT", "the whole command; null where it is the payload of the message",
                { $0.text }, isText: { _ in true }, read: { row, bytes, _ in row.text = bytes }),
            .value(
                "payload_offset", "bytes from the start of the command to its payload",
                \.payloadOffset, \.payloadOffset),
            .value("payload_size", "bytes of its payload", \.payloadSize, \.payloadSize),
            .value("key", "key of the object, for e and for a c with one change", \.key, \.key),
            .value("request", "of an init the request in its cmd: i or cv", \.request, \.request),
            .value("cv", "its change version; of an init that of its cmd", \.cv, \.cv),
            .value(
                "error", "error code of an auth or of the first change with one", \.error, \.error),
            .value("problem", "what is wrong with it and where", \.problem, \.problem),
            .value("side", sideComment, \.side, \.side),
            .value("fate", fateComment, \.fate, \.fate),
            .value(
                "counterpart_id", "the command of the other side that corresponds to it",
                \.counterpart, \.counterpart),
        ])

    /// `any_change`.
    package static let change: Table<ChangeRow> = Table(
        "any_change",
        "one change of a c command, of either side",
        blank: ChangeRow(
            command: CommandID(0), position: 0, bucket: nil, key: nil, operation: nil, sv: nil,
            ev: nil, cv: nil, ccid: nil, clientID: nil, error: nil, offset: 0, size: 0),
        onConflict: .revise(["fate"]),
        [
            .key("16777216 * command_id + position") {
                share &* $0.command.rawValue &+ Int64($0.position)
            },
            .value("command_id", "the command", \.command, \.command),
            .value(
                "position", "place among the changes of the command, from 0", \.position, \.position
            ),
            .value("bucket", "the bucket", \.bucket, \.bucket),
            .value("key", "key of the object", \.key, \.key),
            .value(
                "o", "operation: M modify, - remove, EMPTY, or as sent", \.operation, \.operation),
            .value("sv", "source version", \.sv, \.sv),
            .value("ev", "end version", \.ev, \.ev),
            .value("cv", "change version", \.cv, \.cv),
            .value("ccid", "ccid, or ccids joined by spaces", \.ccid, \.ccid),
            .value("clientid", "client that made the change", \.clientID, \.clientID),
            .value("error", "error code", \.error, \.error),
            .value(
                "offset", "bytes from the start of the command to the change", \.offset, \.offset),
            .value("size", "bytes of the change", \.size, \.size),
            .value("side", sideComment, \.side, \.side),
            .value("fate", "what became of its command on its way", \.fate, \.fate),
        ])

    /// `note`.
    package static let note: Table<NoteRow> = Table(
        "note",
        "a remark about the bytes",
        blank: NoteRow(
            connection: ConnectionID(0), sender: .client, at: .zero,
            place: Place(chunk: ChunkID(0), offset: 0), code: "", detail: ""), counter: "note",
        indexes: [
            TableIndex("note_exchange", on: "note(exchange_id, message_id)"),
            TableIndex("note_connection", on: "note(connection_id, message_id)"),
        ],
        [
            .given("id", "order of writing", .id, isKey: true),
            .given("session_id", "the session", .session),
            .value("connection_id", "the connection", \.connection, \.connection),
            .value("exchange_id", "the exchange it is about", \.exchange, \.exchange),
            .value("message_id", "the message it is about", \.message, \.message),
            .value("sender", "sender of the bytes", \.sender, \.sender),
            .value("at_ns", "when they arrived", \.at, \.at),
            .value("chunk_id", "chunk with the first of the bytes", \.place.chunk, \.place.chunk),
            .value(
                "offset", "its offset in that chunk", \.place.offset,
                \.place.offset),
            .value("code", "stable name, such as http.two-lengths", \.code, \.code),
            .value("message", "the same as text", \.detail, \.detail),
        ])
}
