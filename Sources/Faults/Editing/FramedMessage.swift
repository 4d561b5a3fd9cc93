import Framing
import Wire

/// A whole message of HTTP, taken apart.
struct FramedMessage {
    /// Empty lines and interim responses before it.
    let before: [UInt8]
    /// Its head.
    let head: HTTPHead
    /// What follows the head, as it is framed.
    let body: [UInt8]
    /// Its content, without transfer coding.
    let content: [UInt8]
    /// Trailer fields as sent.
    let trailers: [UInt8]
    /// Whether its content lasts until the connection ends.
    let isUntilEnd: Bool

    /// The only message in `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The message.
    ///   - sender: The client for a request, the server for a response.
    ///   - method: That of the request which a response answers; nil where it is unknown.
    /// - Throws: ``EditableTextError`` where it cannot be framed, or something follows it.
    init(
        _ bytes: [UInt8], from sender: Peer, answering method: String?
    ) throws(EditableTextError) {
        var framer = HTTPFramer(role: sender == .client ? .request : .response)
        if sender == .server {
            framer.expect(method == "HEAD" ? .head : method == "CONNECT" ? .connect : .other)
        }
        var events: [HTTPEvent] = []
        let taken = framer.consume(bytes.span, into: &events)
        var parts = Parts()
        for event in events { try parts.take(event, in: bytes) }
        isUntilEnd = parts.head != nil && parts.end == nil
        if parts.end == nil {
            var last: [HTTPEvent] = []
            framer.endOfStream(into: &last)
            for event in last {
                if case .failure(let error) = event {
                    throw EditableTextError("the message is incomplete: \(error)")
                }
            }
        }
        guard let head = parts.head else { throw EditableTextError("there is no message") }
        guard taken == bytes.count, parts.end ?? bytes.count == bytes.count else {
            throw EditableTextError("something follows the message")
        }
        self.head = head
        before = Array(bytes[..<Int(clamping: head.start)])
        body = Array(bytes[parts.headEnd...])
        content = parts.content
        trailers = parts.trailers
    }

    private struct Parts {
        var head: HTTPHead?
        var headEnd = 0
        var content: [UInt8] = []
        var trailers: [UInt8] = []
        var end: Int?

        mutating func take(_ event: HTTPEvent, in bytes: [UInt8]) throws(EditableTextError) {
            switch event {
            case .head(let found, let place):
                guard head == nil else { throw EditableTextError("another message follows") }
                // Interim responses precede the one that counts.
                if let status = found.status, (100..<200).contains(status), status != 101 { return }
                (head, headEnd) = (found, place)
            case .content(let range): content += bytes[range]
            case .trailers(let fields, _): trailers = fields
            case .end(let place): if head != nil { end = place }
            case .failure(let error): throw EditableTextError("it cannot be framed: \(error)")
            case .opaque: throw EditableTextError("something follows the message")
            case .note: break
            }
        }
    }
}
