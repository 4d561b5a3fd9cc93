import Framing
import Notation
import Wire

/// A recorded request on its way to be sent again.
public struct RepeatedRequest: Hashable, Sendable {
    /// The request as it is sent.
    public private(set) var bytes: [UInt8]

    /// The request that a client sent.
    ///
    /// - Parameter bytes: The whole request as it is framed.
    /// - Throws: ``EditableTextError`` where it is incomplete, or opens a tunnel or a WebSocket.
    public init(_ bytes: [UInt8]) throws(EditableTextError) {
        let message = try FramedMessage(bytes, from: .client, answering: nil)
        guard HTTPRequestKind(message.head) != .connect else {
            throw EditableTextError("the request opens a tunnel: send a request in it")
        }
        guard message.head.first("upgrade") == nil else {
            throw EditableTextError("the request opens a WebSocket: send a command in it")
        }
        self.bytes = bytes
    }

    /// The method.
    public var method: String { head?.method ?? "" }

    /// The target.
    public var target: String { head?.target ?? "" }

    private var head: HTTPHead? {
        (try? FramedMessage(bytes, from: .client, answering: nil))?.head
    }

    private mutating func change(
        _ body: (inout EditableHead, HTTPHead) -> Void
    ) throws(EditableTextError) {
        let message = try FramedMessage(bytes, from: .client, answering: nil)
        var head = EditableHead(message.head)
        body(&head, message.head)
        bytes = message.before + head.bytes + message.body
    }

    /// Makes it one for a server itself: a target without scheme and host, no fields for a proxy.
    ///
    /// - Parameters:
    ///   - authority: What `Host` names.
    ///   - prefix: What comes before the path.
    ///   - origin: What an `Origin` names that named the recorded server, and what it named.
    /// - Throws: ``EditableTextError`` where it cannot be framed.
    public mutating func address(
        to authority: String, prefix: String = "", origin: (recorded: String, new: String)? = nil
    ) throws(EditableTextError) {
        try change { head, recorded in
            for name in ["Proxy-Connection", "Proxy-Authorization"] { _ = head.remove(name) }
            head.setOriginForm(prefix: prefix)
            if recorded.value(of: "host") != authority { head.set("Host", authority) }
            if let origin, let named = recorded.value(of: "origin"),
                named.lowercased() == origin.recorded.lowercased()
            {
                head.set("Origin", origin.new)
            }
        }
    }

    /// Removes header fields and fields of the query.
    ///
    /// - Parameters:
    ///   - fields: Names of header fields, in lower case.
    ///   - parameters: Names of fields of the query, in lower case.
    /// - Returns: What was removed, for people.
    /// - Throws: ``EditableTextError`` where it cannot be framed.
    public mutating func remove(
        fields: Set<String>, parameters: Set<String>
    ) throws(EditableTextError) -> [String] {
        var removed: [String] = []
        try change { head, recorded in
            for field in recorded.fields {
                let name = recorded.text(field.name)
                if fields.contains(name.lowercased()), head.remove(name) { removed.append(name) }
            }
            _ = head.changeTarget { _, query in
                let pieces = query.dropFirst().split(
                    separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
                let kept = pieces.filter { piece in
                    guard let name = FormField.parse(piece).first?.name,
                        parameters.contains(name.lowercased())
                    else { return true }
                    removed.append("query \(name)")
                    return false
                }
                guard kept.count < pieces.count else { return }
                let rest = Array(kept.joined(separator: [UInt8(ascii: "&")]))
                query = rest.isEmpty ? [] : [UInt8(ascii: "?")] + rest
            }
        }
        return removed
    }

    /// The names of fields of a form, or of members of JSON, that its content has.
    ///
    /// - Parameter names: In lower case.
    /// - Returns: Those of them that are there.
    public func contentNames(among names: Set<String>) -> [String] {
        guard let message = try? FramedMessage(bytes, from: .client, answering: nil),
            let content = EditedBody(message.content, message.head)?.content
        else { return [] }
        var found: Set<String> = []
        func see(_ name: String) {
            if names.contains(name.lowercased()) { found.insert(name) }
        }
        if let document = try? JSONDocument.scan(content) {
            var nodes = [document.root]
            while let node = nodes.popLast() {
                for member in node.members {
                    if let name = member.key.string { see(name) }
                    nodes.append(member.value)
                }
                nodes += node.elements
            }
        } else if message.head.value(of: "content-type")?.lowercased().hasPrefix(
            "application/x-www-form-urlencoded") ?? false
        {
            for field in FormField.parse(content) { see(field.name) }
        }
        return found.sorted()
    }

    /// Carries out an edit.
    ///
    /// - Throws: ``EditableTextError`` where it cannot be done.
    public mutating func apply(_ edit: MessageEdit) throws(EditableTextError) {
        bytes = try edit.request(bytes)
    }

    /// The text that somebody edits.
    ///
    /// - Throws: ``EditableTextError`` where it cannot be framed.
    public func text() throws(EditableTextError) -> String {
        try EditableText.text(ofHTTP: bytes, from: .client)
    }

    /// Makes it the request of an edited text.
    ///
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    public mutating func read(_ text: String) throws(EditableTextError) {
        let edited = try EditableText.http(text, inPlaceOf: bytes, from: .client)
        self = try RepeatedRequest(edited)
    }
}
