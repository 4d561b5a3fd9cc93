internal import Framing
internal import Notation
internal import Simperium
internal import Wire

extension SecretWalk {
    /// Scans the content of an HTTP message, after transfer and content coding.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - type: Its `Content-Type`, if it has one.
    func content(_ bytes: inout [UInt8], type: String?) {
        guard !bytes.isEmpty else { return }
        let media = (type ?? "").lowercased()
        if media.hasPrefix("multipart/"), multipart(&bytes, type ?? "") { return }
        let first = bytes.first { $0 > 0x20 && $0 < 0x80 }
        let all = 0..<bytes.count
        if media.hasPrefix("application/x-www-form-urlencoded"), first != 0x7B, first != 0x3C {
            return form(&bytes, all)
        }
        // A byte-order mark is not part of what it marks.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if first == 0x7B || first == 0x5B, json(&bytes, start..<bytes.count) { return }
        if first == 0x3C, xml(&bytes, start..<bytes.count) { return }
        unknown(&bytes)
    }

    /// The maximum number of parts of a multipart body that are scanned separately; with more the
    /// whole is scanned as text.
    private static let maxParts = 10_000

    private func multipart(_ bytes: inout [UInt8], _ type: String) -> Bool {
        guard depth < Self.deepest, var parser = MultipartParser(contentType: type) else {
            return false
        }
        depth += 1
        defer { depth -= 1 }
        var events: [MultipartEvent] = []
        parser.consume(bytes.span, into: &events)
        parser.endOfStream(into: &events)
        var between = 0
        var head: (head: MultipartHead, offset: Int)?
        for event in events {
            switch event {
            case .part(let found, let offset): head = (found, Int(offset))
            case .partEnd(let size, _):
                guard let (found, offset) = head, offset + Int(size) <= bytes.count else {
                    continue
                }
                head = nil
                value(&bytes, between..<offset, .plain, ground: .structure)
                part(&bytes, offset..<offset + Int(size), found)
                between = offset + Int(size)
            // The rest is scanned as text below.
            case .content, .held, .end, .failure: continue
            }
        }
        if between < bytes.count { value(&bytes, between..<bytes.count, .plain) }
        return true
    }

    private func part(_ bytes: inout [UInt8], _ range: Range<Int>, _ head: MultipartHead) {
        guard !range.isEmpty else { return }
        var inside = Array(bytes[range])
        let coding = head.fields.first {
            String(decoding: head.bytes[$0.name], as: UTF8.self).lowercased()
                == "content-transfer-encoding"
        }.map { String(decoding: head.bytes[$0.value], as: UTF8.self).lowercased() }
        switch coding {
        case "base64":
            if let text = Base64Text(inside) {
                var plain = text.bytes
                part(&plain, head)
                if plain != text.bytes { inside = text.encode(plain) }
            }
        case "quoted-printable":
            let text = QuotedText(inside)
            var plain = text.bytes
            part(&plain, head)
            if plain != text.bytes { inside = text.encode(plain) }
        default: part(&inside, head)
        }
        if !inside.elementsEqual(bytes[range]) { bytes.replaceSubrange(range, with: inside) }
    }

    private func part(_ bytes: inout [UInt8], _ head: MultipartHead) {
        let kind = head.name.flatMap { places.kind(.parameter, $0.utf8) }
        if let kind, head.filename == nil {
            value(&bytes, 0..<bytes.count, .plain, kind: kind, name: "part \(head.name ?? "")")
        } else {
            content(&bytes, type: head.contentType)
        }
    }

    // MARK: WebSocket

    /// Scans the payload of a WebSocket message.
    func message(
        _ bytes: inout [UInt8], opcode: Int, from sender: Peer, in socket: inout SocketFacts
    ) {
        switch opcode {
        case 1 where socket.isSockJS: sockJS(&bytes, from: sender, in: &socket)
        case 1 where SimperiumCommand.looksLikeSimperium(bytes):
            command(&bytes, from: sender, in: &socket)
        case 8 where bytes.count > 2: value(&bytes, 2..<bytes.count, .plain)
        default: content(&bytes, type: nil)
        }
    }

    /// Scans the commands in a SockJS frame, each a JSON string.
    private func sockJS(
        _ bytes: inout [UInt8], from sender: Peer, in socket: inout SocketFacts
    ) {
        let start = sender == .server ? 1 : 0
        guard start < bytes.count,
            let document = try? JSONDocument.scan(bytes, in: start..<bytes.count)
        else { return unknown(&bytes) }
        let strings = document.root.kind == .array ? Array(document.root.elements) : [document.root]
        for node in strings where node.kind == .string {
            let inside = node.range.lowerBound + 1..<node.range.upperBound - 1
            let spelled = SpelledText(Array(bytes[inside]), .json)
            var text = spelled.text
            command(&text, from: sender, in: &socket)
            if text != spelled.text { bytes.replaceSubrange(inside, with: spelled.spell(text)) }
        }
    }
}
