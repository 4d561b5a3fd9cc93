import Framing
import Notation
import Testing
import Wire

@testable import Faults

/// Random messages and random texts.
struct EditableTextRandomTests {
    private static let contents: [[UInt8]] = [
        [], Array("{}".utf8), Array("{\"a\":[1,{\"b\":null}],\"\u{E9}\":\"\\u00e9\\n\"}".utf8),
        Array("[1, {\"a\": 2}]".utf8), Array(" {\"a\":1}\r\n".utf8),
        Array("{\"a\": 1,\"b\":2}".utf8),
        Array("{\n \"a\": 1\n}\n".utf8), Array("<x>\n</x>".utf8), Array("a\r\nb\r\n".utf8),
        Array("a\r\nb\n".utf8), Array("\r".utf8), Array("\n\n".utf8),
        Array("# content: json\n".utf8),
        [0, 0xFF, 0x80], Array("{\"a\":1} x".utf8), [0xC3], Array("GET / HTTP/1.1\r\n\r\n".utf8),
    ]
    private static let lines = [
        "Host: h", "host:  h ", "X: \u{E9}", "X: 1", "X: 1", "bad", "Y:", "Z: a\r\n b", "A : 1",
        "Content-Type: application/json", "#c: 1", "T: \u{1}",
    ]

    private struct Message {
        var bytes: [UInt8]
        let content: [UInt8]
        let sender: Peer
        let method: String?
    }

    private static func message(_ draws: inout SplitMix64) throws -> Message {
        let content = try #require(contents.randomElement(using: &draws))
        let sender: Peer = Bool.random(using: &draws) ? .client : .server
        let codings =
            Int.random(in: 0...3, using: &draws) == 0
            ? [try #require(ContentCoding.allCases.randomElement(using: &draws))] : []
        let sent =
            codings.isEmpty
            ? content : StoredCoding.encode(content, codings, isWhole: true)
        var head = sender == .client ? ["POST /a?b=c HTTP/1.1"] : ["HTTP/1.1 200 OK"]
        for _ in 0..<Int.random(in: 0...4, using: &draws) {
            head.append(try #require(lines.randomElement(using: &draws)))
        }
        if let coding = codings.first { head.append("Content-Encoding: \(coding.rawValue)") }
        var body = sent
        switch Int.random(in: 0...2, using: &draws) {
        case 0: head.append("Content-Length: \(sent.count)")
        case 1:
            head.append("transfer-encoding: chunked")
            body = []
            var rest = sent[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 1...4, using: &draws))
                rest = rest.dropFirst(part.count)
                body += Array("\(String(part.count, radix: 16));e\r\n".utf8) + part + [13, 10]
            }
            body += Array("0\r\n\(Bool.random(using: &draws) ? "T: 1\r\n" : "")\r\n".utf8)
        default:
            if sender == .client { head.append("Content-Length: \(sent.count)") }
        }
        let start = head.map { $0 + "\r\n" }.joined() + "\r\n"
        let latin = Int.random(in: 0...3, using: &draws) == 0
        let bytes =
            latin
            ? start.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(start.utf8)
        return Message(
            bytes: bytes + body, content: content, sender: sender,
            method: sender == .server ? "GET" : nil)
    }

    @Test(arguments: 0..<40) func `a text is the message it was made of`(seed: UInt64) throws {
        var draws = SplitMix64(seed: seed)
        for _ in 0..<50 {
            let one = try Self.message(&draws)
            let text = try EditableText.text(
                ofHTTP: one.bytes, from: one.sender, answering: one.method)
            let same = try EditableText.http(
                text, inPlaceOf: one.bytes, from: one.sender, answering: one.method)
            try #require(same == one.bytes, "\(text)")

            // Another field leaves the content as it was framed and coded.
            let mark = try #require(text.firstRange(of: "HTTP/1.1"))
            let end = try #require(text[mark.upperBound...].firstIndex(of: "\n"))
            var more = text
            more.insert(contentsOf: "\nNew: 1", at: end)
            let added = try EditableText.http(
                more, inPlaceOf: one.bytes, from: one.sender, answering: one.method)
            try #require(added.count == one.bytes.count + 8, "\(more)")

            // Other content is what a receiver reads.
            let other = try #require(Self.contents.randomElement(using: &draws))
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let blank = try #require(lines.firstIndex(of: ""))
            let base64 = lines[..<blank].map {
                $0.hasPrefix("# content:") ? "# content: base64" : $0
            }
            let edited = try EditableText.http(
                base64.joined(separator: "\n") + "\n\n" + Base64.encode(other),
                inPlaceOf: one.bytes, from: one.sender, answering: one.method)
            let framed = try FramedMessage(edited, from: one.sender, answering: one.method)
            try #require(EditedBody(framed.content, framed.head)?.content == other, "\(text)")
        }
    }

    @Test(arguments: 0..<20) func `any text is a message or has an error`(seed: UInt64) throws {
        var draws = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let one = try Self.message(&draws)
            var text = Array(
                try EditableText.text(ofHTTP: one.bytes, from: one.sender, answering: one.method)
                    .unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &draws) {
                let place = Int.random(in: 0...text.count, using: &draws)
                let drawn: [Unicode.Scalar] = [
                    "\n", " ", ":", "{", "\"", "#", "\r", "\0", "7", "é",
                ]
                if Bool.random(using: &draws) {
                    text.insert(try #require(drawn.randomElement(using: &draws)), at: place)
                } else {
                    let end = min(text.count, place + Int.random(in: 0...9, using: &draws))
                    text.removeSubrange(place..<end)
                }
            }
            var edited = ""
            edited.unicodeScalars.append(contentsOf: text)
            let message: [UInt8]
            do throws(EditableTextError) {
                message = try EditableText.http(
                    edited, inPlaceOf: one.bytes, from: one.sender, answering: one.method)
            } catch {
                let count = edited.utf8.count { $0 == 0x0A } + 1
                try #require(error.line.map { (1...count + 1).contains($0) } ?? true)
                continue
            }
            // What was edited is still one message.
            _ = try FramedMessage(message, from: one.sender, answering: one.method)
        }
    }

    @Test(arguments: 0..<20) func `a command and a message are what they were`(seed: UInt64) throws
    {
        var draws = SplitMix64(seed: seed)
        let heads = [
            "0:c:", "1:e:k.2\n", "0:i:", "h:", "log:", "", "0:auth:", "99999999999999999:c:",
        ]
        for _ in 0..<50 {
            let content = try #require(Self.contents.randomElement(using: &draws))
            let payload = Array(try #require(heads.randomElement(using: &draws)).utf8) + content
            let sender: Peer = Bool.random(using: &draws) ? .client : .server
            let text = EditableText.text(ofMessage: payload)
            try #require(
                try EditableText.message(text, inPlaceOf: payload, isText: true) == payload)
            guard String(validating: payload, as: UTF8.self) != nil else { continue }
            let command = EditableText.text(ofCommand: payload, from: sender)
            try #require(
                try EditableText.command(command, inPlaceOf: payload, from: sender) == payload)
        }
    }
}
