internal import Framing
internal import Replaying

/// A recorded response as it is sent to a live client.
///
/// The header fields stay as they were received, apart from those of the framing: chunks become one
/// chunk, or a `Content-Length` for clients of HTTP/1.0, and a response that lasted until the end of
/// its connection states its length. Source: RFC 9112, 6 and 9.
struct AnswerBytes: Equatable {
    /// What the live request requires of the framing.
    struct Request: Equatable {
        /// Whether the answer has no body.
        var isHead = false
        /// Whether the client uses HTTP/1.0 or older.
        var isOld = false
        /// Whether the connection ends after the answer.
        var closes = false
    }

    /// Start line and fields.
    private(set) var head: [UInt8] = []
    /// What follows.
    private(set) var body: [UInt8] = []
    /// Whether the connection ends after it.
    private(set) var closes: Bool
    private var framing: Framing

    /// Fields with the length of a message.
    private struct Framing: Equatable {
        var isChunked = false
        var isCut: Bool
        var isBodyless: Bool
        var count: Int
        var hasLength = false
    }

    /// The answer to `request`; `location` rewrites the value of a `Location` field.
    init(
        _ response: RecordedResponse, to request: Request,
        location: (String) -> String = { $0 }
    ) {
        closes = request.closes
        let status = response.status
        var framing = Framing(
            isCut: response.isCut, isBodyless: request.isHead || status == 204 || status == 304,
            count: response.body.count)
        self.framing = framing
        head.reserveCapacity(512)
        append("HTTP/1.1 \(status) \(response.reason)\r\n")
        for field in response.fields {
            switch Kind(field.name) {
            case .connection:
                if field.value.lowercased().contains("close") { closes = true }
            case .length: length(field, status, request, &framing)
            case .transfer: transfer(field, status, request, &framing)
            case .location: append(field.name, location(field.value))
            case .other: append(field.name, field.value)
            }
        }
        if framing.isBodyless {
            if framing.isCut { closes = true }
        } else {
            if !framing.hasLength, !framing.isChunked, !framing.isCut {
                append("Content-Length", String(framing.count))
            }
            if framing.isCut || request.isOld && framing.isChunked { closes = true }
        }
        if closes {
            append("Connection", "close")
        } else if request.isOld {
            append("Connection", "keep-alive")
        }
        append("\r\n")
        self.framing = framing
        fill(response.body)
    }

    /// The answer with the same head and another body of the same length.
    func with(_ content: [UInt8]) -> AnswerBytes {
        var answer = self
        answer.fill(content)
        return answer
    }

    private enum Kind {
        case connection
        case length
        case transfer
        case location
        case other

        init(_ name: String) {
            // The length rules out nearly all.
            switch name.utf8.count {
            case 8 where name.lowercased() == "location": self = .location
            case 10 where ["connection", "keep-alive"].contains(name.lowercased()):
                self = .connection
            case 14 where name.lowercased() == "content-length": self = .length
            case 16 where ["content-location", "proxy-connection"].contains(name.lowercased()):
                self = name.lowercased() == "content-location" ? .location : .connection
            case 17 where name.lowercased() == "transfer-encoding": self = .transfer
            default: self = .other
            }
        }
    }

    private mutating func length(
        _ field: ReplayMessage.Field, _ status: Int, _ request: Request, _ framing: inout Framing
    ) {
        guard !framing.hasLength, !framing.isChunked, status != 204 else { return }
        framing.hasLength = true
        let isAsRecorded = framing.isBodyless || framing.isCut
        append(field.name, isAsRecorded ? field.value : String(framing.count))
    }

    private mutating func transfer(
        _ field: ReplayMessage.Field, _ status: Int, _ request: Request, _ framing: inout Framing
    ) {
        guard !framing.isChunked, !framing.hasLength, status != 204, !request.isOld,
            field.value.lowercased().hasSuffix("chunked")
        else { return }
        framing.isChunked = true
        append(field.name, "chunked")
    }

    private mutating func fill(_ content: [UInt8]) {
        guard framing.isChunked, !framing.isBodyless else {
            body = framing.isBodyless ? [] : content
            return
        }
        body = []
        body.reserveCapacity(content.count + 32)
        if !content.isEmpty {
            body += "\(String(content.count, radix: 16))\r\n".utf8
            body += content
            body += "\r\n".utf8
        }
        if !framing.isCut { body += "0\r\n\r\n".utf8 }
    }

    private mutating func append(_ text: String) { head += text.utf8 }

    private mutating func append(_ name: String, _ value: String) {
        head += name.utf8
        head += ": ".utf8
        head += value.utf8
        head += "\r\n".utf8
    }
}
