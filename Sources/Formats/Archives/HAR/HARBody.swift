internal import Framing
internal import Notation
internal import Wire

/// Reads fields and bodies of an entry.
enum HARBody {
    /// The largest plausible size in bytes: no trace holds more.
    static let largest: Int64 = 1 << 48

    // MARK: Messages

    /// Fields and body of `request`.
    static func request(
        _ request: JSONDocument.Node, in document: HARDocument, _ oddities: inout [String]
    ) -> ArchivedExchange.Message {
        var message = ArchivedExchange.Message()
        message.fields = fields(request["headers"])
        let post = request["postData"]
        let type = value("content-type", message.fields) ?? post?["mimeType"]?.string ?? ""
        // Base64 has the bytes, where there is any; what is beside it is only for reading.
        let apart = request["_content"]
        let isApart =
            apart?["encoding"]?.spells("base64") ?? false && apart?["text"]?.kind == .string
        let source = post?["text"] == nil || isApart ? apart : post
        if let text = document.content(source?["text"]), !text.isEmpty {
            let stated = [
                value("content-length", message.fields).flatMap { Int64($0) },
                HARNumber.count(request["bodySize"]),
            ].compactMap(\.self).filter { $0 > 0 }
            message.body = body(
                text, isBase64: source?["encoding"]?.spells("base64") ?? false, type: type,
                // The size of a coded body says nothing about what is archived.
                sizes: value("content-encoding", message.fields) == nil ? stated : [],
                "the request", &oddities)
        } else if let parameters = post?["params"], !Array(parameters.elements).isEmpty {
            let form = HARForm(parameters, type: type)
            message.body = form.body
            if let type = form.type { set("Content-Type", type, &message.fields) }
            oddities.append(
                "the body was synthesized from the parameters that the archive has "
                    + "instead")
        } else {
            // Chrome states 0 for files and blobs, of which it has only the length in the field.
            let stated = value("content-length", message.fields).flatMap { Int64($0) } ?? 0
            let size = HARNumber.count(request["bodySize"]) ?? 0
            message.missing = min(max(stated, size, 0), largest)
        }
        message.isDecoded = isDecoded(message)
        return message
    }

    /// Fields and body of `response`.
    static func response(
        _ response: JSONDocument.Node, in document: HARDocument, status: Int, method: String,
        _ oddities: inout [String]
    ) -> ArchivedExchange.Message {
        var message = ArchivedExchange.Message()
        message.fields = fields(response["headers"])
        let content = response["content"]
        let size = HARNumber.count(content?["size"]) ?? 0
        // mitmproxy states the size on the wire.
        let isWireSize = size == HARNumber.count(response["bodySize"])
        let type = value("content-type", message.fields) ?? content?["mimeType"]?.string ?? ""
        if let text = document.content(content?["text"]), !text.isEmpty {
            let isBase64 = content?["encoding"]?.spells("base64") ?? false
            message.body = body(
                text, isBase64: isBase64, type: type, sizes: size > 0 ? [size] : [],
                "the response", mayLie: isWireSize, &oddities)
        } else if size > 0, method != "HEAD", status != 304, status != 204, status != 101 {
            message.missing = min(size, largest)
        }
        message.isDecoded = isDecoded(message)
        return message
    }

    // MARK: Fields

    /// A list of names and values, or an object of them.
    static func fields(_ node: JSONDocument.Node?) -> [ArchivedExchange.Field] {
        guard let node else { return [] }
        if node.kind == .object {
            return node.members.map {
                ArchivedExchange.Field($0.key.string ?? "", text($0.value))
            }
        }
        return node.elements.compactMap { element in
            guard let name = element["name"]?.string else { return nil }
            return ArchivedExchange.Field(name, element["value"].map(text) ?? "")
        }
    }

    /// A string, or the text of another value; nothing for null.
    private static func text(_ node: JSONDocument.Node) -> String {
        node.string ?? (node.isNull ? "" : node.text)
    }

    private static func value(_ name: String, _ fields: [ArchivedExchange.Field]) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }

    private static func set(
        _ name: String, _ value: String, _ fields: inout [ArchivedExchange.Field]
    ) {
        if let index = fields.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) {
            fields[index].value = value
        } else {
            fields.append(ArchivedExchange.Field(name, value))
        }
    }

    // MARK: Bodies

    /// The bytes of archived text, given in UTF-8.
    ///
    /// Exporters archive text as the characters that they decoded. It becomes UTF-8 again, or
    /// Latin-1 where the type does not contradict it and a size in the archive is that of
    /// Latin-1: some write binary bodies with a character for each byte.
    ///
    /// The archive states the `sizes`, the most reliable first.
    private static func body(
        _ text: [UInt8], isBase64: Bool, type: String, sizes: [Int64], _ whose: String,
        mayLie: Bool = false, _ oddities: inout [String]
    ) -> [UInt8] {
        let bytes: [UInt8]
        if isBase64 {
            if let decoded = Base64.decode(text, .whitespace) {
                bytes = decoded
            } else {
                bytes = text
                oddities.append("the body of \(whose) is declared as base64 and is not base64")
            }
        } else if !sizes.contains(Int64(text.count)), !type.lowercased().contains("utf-8"),
            let latin = latin1(text, sizes)
        {
            bytes = latin
        } else {
            bytes = text
        }
        if !isBase64, isBinary(type) {
            if text.firstRange(of: Array("\u{FFFD}".utf8)) != nil {
                oddities.append(
                    "the text of the body of \(whose) has U+FFFD in place of bytes that are not "
                        + "in the archive")
            } else if sizes.isEmpty, !text.allSatisfy({ $0 < 0x80 }) {
                oddities.append(
                    "the archive has the body of \(whose) as text, though it is \(type), and "
                        + "does not state its size: its bytes are uncertain")
            }
        }
        if let size = sizes.first, !sizes.contains(Int64(bytes.count)), !mayLie {
            oddities.append(
                "the archive states \(size) bytes for the body of \(whose); its text has "
                    + "\(bytes.count) bytes")
        }
        return bytes
    }

    /// Whether a body of this type is no text.
    private static func isBinary(_ type: String) -> Bool {
        let type = type.lowercased()
        let words = ["text/", "json", "xml", "javascript", "form-urlencoded", "graphql"]
        return !type.isEmpty && !words.contains { type.contains($0) }
    }

    /// The text in Latin-1, where all its characters are in that and their number is one of `sizes`;
    /// nil otherwise.
    private static func latin1(_ text: [UInt8], _ sizes: [Int64]) -> [UInt8]? {
        let count = text.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        guard sizes.contains(Int64(count)) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var lead: UInt8 = 0
        for byte in text {
            switch byte {
            case 0x80..<0xC0 where lead != 0: bytes.append(lead << 6 | byte & 0x3F)
            case 0xC2, 0xC3: break
            case 0..<0x80: bytes.append(byte)
            default: return nil
            }
            lead = byte >= 0xC0 ? byte : 0
        }
        return bytes
    }

    /// Whether the codings that the fields name were undone.
    ///
    /// Archives have bodies decoded; but an unknown coding was not decoded, nor one whose magic
    /// number the body still begins with.
    private static func isDecoded(_ message: ArchivedExchange.Message) -> Bool {
        let named = message.fields.filter { $0.name.lowercased() == "content-encoding" }
            .map(\.value).joined(separator: ",")
        guard !named.isEmpty else { return true }
        guard let codings = try? ContentCoding.parse(named) else { return false }
        return switch codings.last {
        case .gzip: !message.body.starts(with: [0x1F, 0x8B])
        case .zstandard: !message.body.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
        case .deflate, .brotli, nil: true
        }
    }
}
