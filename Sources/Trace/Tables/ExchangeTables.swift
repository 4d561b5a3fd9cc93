package import Dissection
import Wire

/// Exchanges with what was sent in them.
extension Tables {
    /// `any_exchange`.
    package static let exchange: Table<ExchangeRow> = Table(
        "any_exchange",
        "one HTTP request and its response, of either side; bodies are in http_body",
        blank: ExchangeRow(
            id: ExchangeID(0), connection: ConnectionID(0), api: "", method: "", scheme: "",
            host: "", port: 0, path: "", query: nil, version: "", startedAt: .zero,
            requestPlace: Place(chunk: ChunkID(0), offset: 0)), counter: "exchange",
        onConflict: .update(
            keeping: [
                "id", "session_id", "connection_id", "request_chunk_id", "request_offset",
            ]), nameWidth: 17,
        indexes: [
            TableIndex("any_exchange_socket", on: "any_exchange(id) WHERE status = 101")
        ],
        [
            .key(
                "id", "number of the exchange, in order of the first byte of the request", \.id,
                \.id),
            .given("session_id", "the session", .session),
            .value("connection_id", "the connection", \.connection, \.connection),
            .value("server_leg_id", "the leg of the response", \.serverLeg, \.serverLeg),
            .value(
                "api",
                "what it is for: commcare.submit, commcare.restore, simperium.socket, http ...",
                \.api, \.api),
            .value(
                "method", "request method as sent; ? where the request line cannot be read",
                \.method, \.method),
            .value("scheme", "http or https", \.scheme, \.scheme),
            .value("host", "host without port, lower case", \.host, \.host),
            .value("port", "TCP port", \.port, \.port),
            .value("path", "path without query, as sent", \.path, \.path),
            .value("query", "query without the question mark", \.query, \.query),
            .value("version", "HTTP version of the request line", \.version, \.version),
            .value("status", "status of the final response", \.status, \.status),
            .value("reason", "reason phrase of the final response", \.reason, \.reason),
            .value("started_ns", "first byte of the request", \.startedAt, \.startedAt),
            .value(
                "request_ended_ns", "last byte of the request", \.requestEndedAt, \.requestEndedAt),
            .value(
                "responded_ns", "first byte of the final response", \.respondedAt, \.respondedAt),
            .value(
                "ended_ns", "last byte of the response, or when it was certain that there is none",
                \.endedAt, \.endedAt),
            .value(
                "request_size", "bytes of request content on the wire, without transfer coding",
                \.requestSize, \.requestSize),
            .value(
                "response_size", "bytes of response content on the wire, without transfer coding",
                \.responseSize, \.responseSize),
            .value(
                "outcome", "open, complete, request-cut, response-cut, no-response", \.outcome,
                \.outcome),
            .value("problem", "why it is not complete", \.problem, \.problem),
            .value(
                "retry_after", "Retry-After of the response, as sent", \.retryAfter, \.retryAfter),
            .value("device", "device id of the client", \.device, \.device),
            .value("is_local", "1 where Tapedeck made the response", \.isLocal, \.isLocal),
            .value(
                "request_chunk_id", "chunk with the first byte of the request",
                \.requestPlace.chunk, \.requestPlace.chunk
            ),
            .value(
                "request_offset", "its offset in that chunk",
                \.requestPlace.offset, \.requestPlace.offset),
            .made(
                "response_chunk_id", "chunk with the first byte of the final response",
                { $0.responsePlace?.chunk },
                read: { $0.responsePlace = $1.map { Place(chunk: $0, offset: 0) } }),
            .made(
                "response_offset", "its offset in that chunk",
                { $0.responsePlace?.offset }, read: { $0.responsePlace?.offset = $1 ?? 0 }),
            .value(
                "user", "user of the request: as of the query, or the name of Basic credentials",
                \.user, \.user),
            .value("side", sideComment, \.side, \.side),
            .value("fate", fateComment, \.fate, \.fate),
            .value(
                "counterpart_id", "the exchange of the other side that corresponds to it",
                \.counterpart, \.counterpart),
        ])

    static let sideComment = "whose conversation it belongs to: both, client or server"
    static let fateComment =
        "what became of it on its way: same, altered, lost, late, repeated, or synthesized"

    /// `http_body`.
    package static let body: Table<BodyRow> = Table(
        "http_body",
        """
        head and content of one side of an exchange; the view body adds what is in \
        a chunk
        """,
        blank: BodyRow(exchange: ExchangeID(0), sender: .client, head: []), onConflict: .ignore,
        nameWidth: 13,
        [
            .key("2 * exchange_id + sender") { $0.number },
            .value("exchange_id", "the exchange", \.exchange, \.exchange),
            .value("sender", "0 client, 1 server", \.sender, \.sender),
            .made(
                "chunk_id",
                "the chunk that has the head as received, or the content where head is here",
                { ($0.headPlace ?? $0.contentPlace)?.chunk }),
            .made("head_offset", "first byte of the head in that chunk", { $0.headPlace?.offset }),
            .made("head_size", "bytes of the head", { $0.head.count }),
            .bytes(
                "head", "BLOB",
                """
                start line and fields as received; null where they are in the chunk
                """, { $0.headPlace == nil ? $0.head : nil }),
            .bytes(
                "trailers", "BLOB", "trailer fields", { $0.trailers.isEmpty ? nil : $0.trailers }),
            .made(
                "content_offset",
                "first byte of the content in that chunk, where that has all of it",
                { $0.contentPlace?.offset }),
            .made(
                "content_parts",
                """
                where the content stands in chunks otherwise, in order, as JSON: \
                [[chunk_id, offset, bytes], ...]
                """,
                { $0.contentPlace == nil ? $0.contentParts.json : nil }),
            .bytes(
                "content", "ANY",
                """
                content after transfer and content coding; the first bytes of a large one; \
                null where it is in chunks
                """, { $0.contentParts.isEmpty ? $0.content : nil }, isText: { $0.isText }),
            .value("is_text", "1 where the content is UTF-8", \.isText, \.isText),
            .value(
                "size", "bytes of the whole content after transfer and content coding", \.size,
                \.size),
            .value(
                "wire_size", "bytes of the content on the wire, without transfer coding",
                \.wireSize, \.wireSize
            ),
            .value("coding", "content codings that were undone", \.coding, \.coding),
            .value("content_type", "Content-Type as sent", \.contentType, \.contentType),
            .value(
                "problem", "why the content could not be decoded, with the offset", \.problem,
                \.problem),
        ])

    /// `part`.
    package static let part: Table<PartRow> = Table(
        "part",
        "one part of a multipart body",
        blank: PartRow(
            exchange: ExchangeID(0), sender: .client, position: 0, name: nil, filename: nil,
            contentType: nil, size: 0, offset: 0), onConflict: .ignore,
        indexes: [
            TableIndex("part_exchange", on: "part(exchange_id)")
        ],
        [
            .key("16777216 * (2 * exchange_id + sender) + position") {
                share &* bodyNumber($0.exchange, $0.sender) &+ Int64($0.position)
            },
            .value("exchange_id", "the exchange", \.exchange, \.exchange),
            .value("sender", "0 client, 1 server", \.sender, \.sender),
            .value("position", "place among the parts, from 0", \.position, \.position),
            .value("name", "name of the content disposition", \.name, \.name),
            .value("filename", "filename of the content disposition", \.filename, \.filename),
            .value("content_type", "Content-Type of the part", \.contentType, \.contentType),
            .value("size", "bytes of the content of the part", \.size, \.size),
            .value("offset", "first byte of that content in the decoded body", \.offset, \.offset),
        ])
}

extension [ContentPart] {
    /// The parts as JSON; nil without any.
    fileprivate var json: String? {
        guard !isEmpty else { return nil }
        return "["
            + map { "[\($0.place.chunk.rawValue),\($0.place.offset),\($0.count)]" }
            .joined(separator: ",") + "]"
    }
}

extension BodyRow {
    /// The number of its row; those of the two sides of an exchange follow each other.
    var number: Int64 { 2 &* exchange.rawValue &+ Int64(sender.rawValue) }
}
