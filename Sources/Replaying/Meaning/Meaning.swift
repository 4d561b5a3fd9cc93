public import Notation
import Wire

/// The meaning of a body, without its spelling and without volatile values.
public enum Meaning: Sendable {
    /// There is none.
    case nothing
    /// A document; its root.
    case xml(XMLElement)
    /// A JSON value.
    case json(JSONValue)
    /// The fields of a form, by name.
    case fields([FormField])
    /// The parts of a multipart body, as sent.
    case parts([Part])
    /// Anything else.
    case bytes([UInt8])

    /// A part of a multipart body.
    public struct Part: Sendable {
        /// `name` of its content disposition.
        public var name: String?
        /// `filename` of its content disposition; left out where the part is the form.
        public var filename: String?
        /// Media type, in lower case.
        public var mediaType: String?
        /// The value.
        public var meaning: Meaning
    }

    /// Bytes of the longest body that is read as structure; longer ones are compared as bytes.
    public static let maxBytes = 64 << 20

    /// The meaning of `body`.
    ///
    /// JSON and XML are recognised by the media type or their first byte. What cannot be parsed as
    /// what it is declared to be is bytes.
    ///
    /// - Parameters:
    ///   - body: After transfer and content coding.
    ///   - contentType: The value of `Content-Type`.
    ///   - leftOut: What takes no part.
    public init(_ body: [UInt8], contentType: String? = nil, without leftOut: LeftOut = .usual) {
        self.init(body, contentType, leftOut, nesting: 0)
    }

    private init(_ body: [UInt8], _ contentType: String?, _ leftOut: LeftOut, nesting: Int) {
        guard !body.isEmpty else {
            self = .nothing
            return
        }
        guard body.count <= Self.maxBytes else {
            self = .bytes(body)
            return
        }
        let type = contentType.map(HeaderText.mediaType) ?? ""
        if type.hasPrefix("multipart/"), nesting < 4, let contentType,
            let boundary = HeaderText.parameter("boundary", of: contentType),
            let multipart = MultipartBody(body, boundary: boundary)
        {
            self = .parts(
                multipart.parts.map { Self.part($0, of: body, leftOut, nesting: nesting + 1) })
            return
        }
        if type == "application/x-www-form-urlencoded" {
            self = .fields(FormField.kept(FormField.parse(body), leftOut))
            return
        }
        let first = body.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        if type.hasSuffix("json") || first == 0x7B || first == 0x5B,
            let value = Self.json(body, leftOut)
        {
            self = .json(value)
            return
        }
        if type.hasSuffix("xml") || first == 0x3C || body.starts(with: [0xEF, 0xBB, 0xBF, 0x3C]),
            let root = XMLElement.read(body, leftOut)
        {
            self = .xml(root)
            return
        }
        self = .bytes(body)
    }

    private static func part(
        _ part: MultipartBody.Part, of body: [UInt8], _ leftOut: LeftOut, nesting: Int
    ) -> Part {
        let disposition = part.value("content-disposition") ?? ""
        let type = part.value("content-type")
        let name = HeaderText.parameter("name", of: disposition)
        let filename = HeaderText.parameter("filename", of: disposition)
        var meaning = Meaning(Array(body[part.content]), type, leftOut, nesting: nesting)
        if filename == nil, let name, leftOut.maskedFields.contains(name) {
            meaning = .bytes(Array(LeftOut.mark.utf8))
        }
        // Clients name the file of a form after the time.
        let isForm = name == "xml_submission_file"
        return Part(
            name: name, filename: isForm && filename != nil ? LeftOut.mark : filename,
            mediaType: type.map(HeaderText.mediaType), meaning: meaning)
    }

    private static func json(_ body: [UInt8], _ leftOut: LeftOut) -> JSONValue? {
        let limits = JSONLimits(depth: 256, values: 2_000_000)
        guard let document = try? JSONDocument.scan(body, limits: limits) else { return nil }
        var path: [String] = []
        return JSONValue(document.root).without(leftOut, &path)
    }
}

extension JSONValue {
    /// The value without what is left out; nil where it is left out itself.
    func without(_ leftOut: LeftOut, _ path: inout [String]) -> JSONValue? {
        if !path.isEmpty {
            if leftOut.droppedJSON.matches(path) { return nil }
            if leftOut.maskedJSON.matches(path) { return .string(LeftOut.mark) }
        }
        switch self {
        case .array(let elements):
            var kept: [JSONValue] = []
            kept.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                // A place is kept, so that the places after it keep their numbers.
                kept.append(element.without(leftOut, &path) ?? .string(LeftOut.mark))
                path.removeLast()
            }
            return .array(kept)
        case .object(let object):
            var kept = JSONObject()
            for member in object.members {
                path.append(member.key.string)
                if let value = member.value.without(leftOut, &path) {
                    kept.members.append(JSONObject.Member(member.key.string, value))
                }
                path.removeLast()
            }
            return .object(kept)
        default: return self
        }
    }
}
