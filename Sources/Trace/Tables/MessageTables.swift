package import Dissection
import Wire

/// WebSocket messages.
extension Tables {
    /// `frame`.
    package static let frame: Table<FrameRow> = Table(
        "frame",
        "a WebSocket frame as on the wire",
        blank: FrameRow(
            message: MessageID(0), connection: ConnectionID(0), sender: .client, at: .zero,
            position: 0, fin: true, rsv: 0, opcode: 0, mask: nil, headerSize: 0, payloadSize: 0,
            place: Place(chunk: ChunkID(0), offset: 0)), onConflict: .ignore,
        [
            .key("16777216 * message_id + position") {
                share &* $0.message.rawValue &+ Int64($0.position)
            },
            .value("message_id", "the message it belongs to", \.message, \.message),
            .value("connection_id", "the connection", \.connection, \.connection),
            .value("sender", "0 client, 1 server", \.sender, \.sender),
            .value("at_ns", "when its first byte arrived", \.at, \.at),
            .value(
                "position", "place among the frames of its message, from 0", \.position, \.position),
            .value("fin", "1 for the last frame of a message", \.fin, \.fin),
            .value("rsv", "reserved bits; 4 (RSV1) marks compression", \.rsv, \.rsv),
            .value(
                "opcode", "0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong", \.opcode,
                \.opcode),
            .value("mask", "masking key, big-endian; null where not masked", \.mask, \.mask),
            .value("header_size", "bytes of header and masking key", \.headerSize, \.headerSize),
            .value("payload_size", "bytes of payload", \.payloadSize, \.payloadSize),
            .value(
                "chunk_id", "chunk with the first byte of the header", \.place.chunk, \.place.chunk),
            .value(
                "offset", "its offset in that chunk", \.place.offset,
                \.place.offset),
        ])

    /// `any_message`.
    package static let message: Table<MessageRow> = Table(
        "any_message",
        "a WebSocket message as assembled from frames, of either side",
        blank: MessageRow(
            id: MessageID(0), connection: ConnectionID(0), exchange: ExchangeID(0), sender: .client,
            at: .zero, endedAt: .zero, opcode: 0, payload: [], isText: false, size: 0, wireSize: 0,
            isCompressed: false, frames: 0, closeCode: nil, problem: nil,
            place: Place(chunk: ChunkID(0), offset: 0)), counter: "message",
        onConflict: .revise(["fate", "counterpart_id"]),
        indexes: [
            TableIndex("any_message_chunk", on: "any_message(chunk_id)")
        ],
        [
            .key(
                "id",
                """
                number of the message, in order of its last byte; of several that end in the same \
                chunk those of the client's side come first
                """, \.id, \.id),
            .given("session_id", "the session", .session),
            .value("connection_id", "the connection", \.connection, \.connection),
            .value("exchange_id", "the exchange that opened the WebSocket", \.exchange, \.exchange),
            .value("sender", "0 client, 1 server", \.sender, \.sender),
            .value("at_ns", "when its first byte arrived", \.at, \.at),
            .value("ended_ns", "when its last byte arrived", \.endedAt, \.endedAt),
            .value("opcode", "1 text, 2 binary, 8 close, 9 ping, 10 pong", \.opcode, \.opcode),
            .bytes(
                "payload", "ANY",
                """
                unmasked and inflated: text if UTF-8, else blob; the first bytes of a large \
                one
                """, { $0.payload }, isText: { $0.isText },
                read: {
                    $0.payload = $1
                    $0.isText = $2
                }),
            .value("size", "bytes of the whole payload, unmasked and inflated", \.size, \.size),
            .value("wire_size", "bytes of the payloads of its frames", \.wireSize, \.wireSize),
            .value(
                "compressed", "1 where permessage-deflate compressed it", \.isCompressed,
                \.isCompressed),
            .value("frames", "number of its frames", \.frames, \.frames),
            .value("close_code", "code of a close message", \.closeCode, \.closeCode),
            .value("problem", "what is wrong with it", \.problem, \.problem),
            .value(
                "chunk_id", "chunk with the first byte of its first frame", \.place.chunk,
                \.place.chunk),
            .value(
                "offset", "its offset in that chunk", \.place.offset,
                \.place.offset),
            .value("side", sideComment, \.side, \.side),
            .value("fate", fateComment, \.fate, \.fate),
            .value(
                "counterpart_id",
                """
                the message of the other side that corresponds to it; of a repeated one what was \
                received before
                """,
                \.counterpart, \.counterpart),
        ])
}
