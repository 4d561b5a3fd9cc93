import Framing
import Wire

/// A message of HTTP as a text that somebody edits, and back.
struct EditableMessage {
    /// The message.
    let framed: FramedMessage
    /// Its content, decoded where it can be.
    let content: EditableContent
    private let isDecoded: Bool
    private let lines: [Line]
    private let ending: [UInt8]

    /// A line of a head.
    private struct Line {
        let bytes: [UInt8]
        let text: String
    }

    init(_ framed: FramedMessage) {
        self.framed = framed
        let decoded = EditedBody(framed.content, framed.head)?.content
        isDecoded = decoded != nil
        content = EditableContent(decoded ?? framed.content)
        var lines: [Line] = []
        var rest = framed.head.bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[...end]
            rest = rest[(end + 1)...]
            lines.append(Line(bytes: Array(line), text: Self.shown(line.dropLast())))
        }
        ending = lines.popLast()?.bytes ?? []
        self.lines = lines
    }

    /// A line without its end and without control characters.
    private static func shown(_ line: ArraySlice<UInt8>) -> String {
        let line = Array(line.last == 0x0D ? line.dropLast() : line)
        let text =
            String(validating: line, as: UTF8.self)
            ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar != "\t" || (0x7F..<0xA0).contains(scalar.value)
    }

    /// The text.
    var text: String {
        var remarks = ""
        if !isDecoded {
            remarks += "# The content cannot be decoded: it is as sent.\n"
        }
        if !framed.trailers.isEmpty {
            remarks += "# Trailer fields follow the content as they are.\n"
        }
        let head = lines.map { $0.text + "\n" }.joined()
        let body = content.content.isEmpty ? "" : content.text + "\n"
        return remarks + EditableText.mark(content.form) + head + "\n" + body
    }

    // MARK: Reading

    /// The head of an edited text.
    ///
    /// - Parameters:
    ///   - edited: The text after its remarks; read up to the content.
    ///   - sender: The client for a request, the server for a response.
    /// - Returns: The head.
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    func head(
        _ edited: inout EditedLines, from sender: Peer
    ) throws(EditableTextError) -> HTTPHead {
        // Lines that are still there stay as sent, each once.
        var known = Dictionary(grouping: lines, by: \.text).mapValues { $0[...] }
        var bytes: [UInt8] = []
        var isFirst = true
        let start = edited
        while let line = edited.next() {
            let text = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            guard !text.isEmpty else { break }
            if let same = known[text]?.popFirst() {
                bytes += same.bytes
            } else {
                let check = LineCheck(text: text, place: line.startIndex, lines: start)
                if isFirst { try check.startLine(from: sender) } else { try check.field() }
                bytes += encoded(text) + [0x0D, 0x0A]
            }
            isFirst = false
        }
        guard !isFirst else {
            throw EditableTextError(line: start.number, LineCheck.expected(from: sender))
        }
        var framer = HTTPFramer(role: sender == .client ? .request : .response)
        var events: [HTTPEvent] = []
        _ = framer.consume((bytes + ending).span, into: &events)
        guard case .head(let head, _)? = events.first else {
            throw EditableTextError(line: start.number, LineCheck.expected(from: sender))
        }
        return head
    }

    /// Latin-1 where the head was written so and it can be, else UTF-8.
    private func encoded(_ text: String) -> [UInt8] {
        let isLatin = String(validating: framed.head.bytes, as: UTF8.self) == nil
        guard isLatin, text.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else {
            return Array(text.utf8)
        }
        return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    // MARK: Framing

    /// The edited message with a framing and coding that fit it.
    func framed(
        _ edited: EditedMessage, from sender: Peer
    ) throws(EditableTextError) -> [UInt8] {
        let head = edited.head
        let isSame = edited.content == content.content
        let before = framed.before
        if isSame, edited.isFramed(as: framed.head),
            edited.hasContent(sender) == edited.with(framed.head).hasContent(sender)
        {
            return before + head.bytes + framed.body
        }
        var work = EditableHead(head)
        guard edited.hasContent(sender) else {
            guard edited.content.isEmpty else {
                throw EditableTextError(
                    line: edited.contentLine, "this response cannot have content: remove it")
            }
            if head.status.map({ $0 < 200 || $0 == 204 }) ?? false {
                for name in ["Content-Length", "Transfer-Encoding"] { _ = work.remove(name) }
            }
            return before + work.bytes
        }
        let names = head.values(of: "content-encoding")
        let sent: [UInt8]
        if isSame, names == framed.head.values(of: "content-encoding") {
            sent = framed.content
        } else {
            sent = isDecoded ? try edited.coded(names) : edited.content
        }
        let body: [UInt8]
        if head.contains(token: "chunked", in: "transfer-encoding") {
            _ = work.remove("Content-Length")
            let chunk =
                sent.isEmpty ? [] : Array("\(String(sent.count, radix: 16))\r\n".utf8) + sent
            body =
                chunk + Array((sent.isEmpty ? "0\r\n" : "\r\n0\r\n").utf8) + framed.trailers
                + [0x0D, 0x0A]
        } else {
            let isNeeded =
                sender == .client ? !sent.isEmpty : !framed.isUntilEnd
            if isNeeded || head.first("content-length") != nil {
                work.set("Content-Length", String(sent.count))
            }
            body = sent
        }
        let result = before + work.bytes + body
        let check = try FramedMessage(result, from: sender, answering: edited.method)
        guard check.content == sent else {
            throw EditableTextError("with these fields nobody finds the end of the content")
        }
        return result
    }
}

/// What an edited text has.
struct EditedMessage {
    /// The head.
    var head: HTTPHead
    /// The content, decoded.
    let content: [UInt8]
    /// The line at which the content begins.
    let contentLine: Int
    /// The method of the request that a response answers; nil where it is unknown.
    let method: String?

    /// The same with another head.
    func with(_ head: HTTPHead) -> EditedMessage {
        var other = self
        other.head = head
        return other
    }

    /// Whether a head says the same about how the content is framed and coded.
    func isFramed(as other: HTTPHead) -> Bool {
        ["content-length", "transfer-encoding", "content-encoding"].allSatisfy {
            head.values(of: $0) == other.values(of: $0)
        }
    }

    /// Whether a message with this head can have content (RFC 9112, 6.3).
    func hasContent(_ sender: Peer) -> Bool {
        guard sender == .server, let status = head.status else { return true }
        if method == "CONNECT", (200..<300).contains(status) { return false }
        return method != "HEAD" && status >= 200 && status != 204 && status != 304
    }

    /// The content in the codings that its head names.
    func coded(_ names: [String]) throws(EditableTextError) -> [UInt8] {
        do throws(ContentCodingError) {
            let codings = try ContentCoding.parse(names.joined(separator: ", "))
            return content.isEmpty && codings.isEmpty
                ? content : StoredCoding.encode(content, codings, isWhole: true)
        } catch {
            throw EditableTextError(
                "Content-Encoding: \(error); remove the field to send the content as it is")
        }
    }
}
