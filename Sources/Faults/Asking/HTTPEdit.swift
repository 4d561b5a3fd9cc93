import Framing
import Notation
import Wire

/// What is changed of a message of HTTP that somebody was asked about.
public struct HTTPEdit: Sendable {
    /// The body, before its content coding; nil leaves it.
    public var content: [UInt8]?
    /// The status of a response; nil leaves it.
    public var status: Int?
    /// The path with query of a request; nil leaves it.
    public var path: String?
    /// Fields to be set, or removed where the value is nil.
    public var fields: [(name: String, value: String?)]

    /// An edit with these values.
    public init(
        content: [UInt8]? = nil, status: Int? = nil, path: String? = nil,
        fields: [(name: String, value: String?)] = []
    ) {
        self.content = content
        self.status = status
        self.path = path
        self.fields = fields
    }

    /// The edited message, framed with lengths and codings that are right.
    ///
    /// - Parameter held: The message.
    /// - Returns: Its bytes.
    /// - Throws: ``EditableTextError`` where it cannot be framed.
    public func applied(to held: HeldMessage) throws(EditableTextError) -> [UInt8] {
        let method = held.answeredMethod
        let framed = try FramedMessage(held.bytes, from: held.sender, answering: method)
        let message = EditableMessage(framed)
        var head = EditableHead(framed.head)
        for field in fields {
            if let value = field.value {
                head.set(field.name, value)
            } else {
                _ = head.remove(field.name)
            }
        }
        if let path {
            _ = head.changeTarget { before, query in
                let parts = Array(path.utf8).split(
                    separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
                before = Self.authority(of: before) + Array(parts[0])
                query = parts.count > 1 ? [0x3F] + Array(parts[1]) : []
            }
        }
        if let status { head.setStatus(status) }
        var framer = HTTPFramer(role: held.sender == .client ? .request : .response)
        var events: [HTTPEvent] = []
        _ = framer.consume(head.bytes.span, into: &events)
        guard case .head(let edited, _)? = events.first else {
            throw EditableTextError("the edited head cannot be read")
        }
        return try message.framed(
            EditedMessage(
                head: edited, content: content ?? message.content.content, contentLine: 1,
                method: method), from: held.sender)
    }

    /// Scheme and host of a target to a proxy; nothing of another one.
    private static func authority(of target: [UInt8]) -> [UInt8] {
        guard let colon = target.firstIndex(of: UInt8(ascii: ":")),
            target[colon...].starts(with: Array("://".utf8))
        else { return [] }
        let rest = target[(colon + 3)...]
        return Array(target[..<(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)])
    }

    /// The answer that this is, to a request.
    ///
    /// - Parameters:
    ///   - held: The request.
    ///   - unixSeconds: When, for the field `Date`.
    /// - Returns: The bytes of the response.
    public func answer(to held: HeldMessage, unixSeconds: Int64) -> [UInt8] {
        let status = status ?? 200
        var head = "HTTP/1.1 \(status) \(LocalAnswer.reason(status))\r\n"
        let names = fields.map { $0.name.lowercased() }
        if !names.contains("date") {
            head += "Date: \(HTTPDate(unixSeconds: unixSeconds).text)\r\n"
        }
        for field in fields
        where !["content-length", "transfer-encoding"].contains(field.name.lowercased()) {
            if let value = field.value { head += "\(field.name): \(value)\r\n" }
        }
        let content = content ?? []
        let hasContent = status >= 200 && status != 204 && status != 304
        if hasContent { head += "Content-Length: \(content.count)\r\n" }
        var isHead = false
        if case .request(let request) = held.content { isHead = request.method == "HEAD" }
        return Array((head + "\r\n").utf8) + (hasContent && !isHead ? content : [])
    }
}

extension HeldMessage {
    /// The method of the request that a held response answers.
    fileprivate var answeredMethod: String? {
        if case .response(_, let request) = content { request.method } else { nil }
    }
}
