import Notation

/// How content stands in a text that somebody edits.
enum ContentForm: String, CaseIterable {
    /// JSON with a line for each member and element.
    case json
    /// Text as it is.
    case text
    /// Text whose lines end with CR LF, which stand as LF.
    case textCRLF = "text-crlf"
    /// Bytes in Base64.
    case base64
}

/// Content as a text that somebody edits, and back.
struct EditableContent {
    /// Where JSON begins in content; nil where there is none.
    typealias Start = @Sendable ([UInt8]) -> Int?

    /// The content.
    let content: [UInt8]
    /// How it stands in the text.
    let form: ContentForm
    /// The text, without the line break that ends it.
    let text: String
    private let start: Start
    /// Whether JSON has a space after commas and colons.
    private var isSpaced = false
    /// White space after the JSON.
    private var ending: ArraySlice<UInt8> = []

    /// The content in the form that suits it.
    init(_ content: [UInt8], start: @escaping Start = Self.startOfJSON) {
        self.content = content
        self.start = start
        if let (json, laidOut) = Self.laidOut(content, start) {
            ending = content[json.range.upperBound...]
            isSpaced = JSONText.spaced(json).utf8.elementsEqual(content[json.range])
            form = .json
            text = laidOut
            return
        }
        guard let plain = String(validating: content, as: UTF8.self), Self.isPlain(content[...])
        else {
            form = .base64
            text = Self.wrapped(Base64.encode(content))
            return
        }
        let unwrapped = Self.withoutCarriageReturns(content)
        let isCRLF =
            unwrapped.count < content.count && Self.withCarriageReturns(unwrapped) == content
        form = isCRLF ? .textCRLF : .text
        text = isCRLF ? String(decoding: unwrapped, as: UTF8.self) : plain
    }

    /// JSON on one line with the text that has a line for each of its values; nil for other content.
    private static func laidOut(
        _ content: [UInt8], _ start: Start
    ) -> (JSONDocument.Node, String)? {
        guard let place = start(content), isPlain(content[...]),
            let root = try? JSONDocument.scan(content, in: place..<content.count).root,
            // What is laid out already stays as it is.
            !content[root.range].contains(0x0A)
        else { return nil }
        let text = JSONText.pretty(root, limit: limit)
        guard text.utf8.count < limit else { return nil }
        let before = String(decoding: content[..<place], as: UTF8.self)
        let ending = String(decoding: content[root.range.upperBound...], as: UTF8.self)
        return (root, before + text + ending)
    }

    /// The maximum length of JSON that is laid out, in bytes.
    private static let limit = 32 << 20

    /// Where JSON begins that is the whole content.
    static let startOfJSON: Start = { content in
        let place = content.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let place, content[place] == 0x7B || content[place] == 0x5B else { return nil }
        return place
    }

    /// The content that a text stands for.
    ///
    /// - Parameters:
    ///   - lines: The text, read up to the content.
    ///   - form: How it stands there.
    /// - Returns: The content.
    /// - Throws: ``EditableTextError`` with the place of what does not fit the form.
    func read(_ lines: EditedLines, as form: ContentForm) throws(EditableTextError) -> [UInt8] {
        let bytes = Array(lines.rest)
        if form == self.form, bytes.elementsEqual(text.utf8) { return content }
        switch form {
        case .json: return try readJSON(bytes, lines)
        case .text: return bytes
        case .textCRLF: return Self.withCarriageReturns(Self.withoutCarriageReturns(bytes))
        case .base64:
            if let decoded = Base64.decode(bytes, [.whitespace, .unpadded]) { return decoded }
            let wrong = bytes.firstIndex {
                Base64.value($0, false) == nil && ![0x09, 0x0A, 0x0D, 0x20, 0x3D].contains($0)
            }
            throw lines.error(
                at: lines.place + (wrong ?? bytes.count),
                wrong == nil ? "the Base64 ends early" : "this is not Base64")
        }
    }

    private func readJSON(
        _ bytes: [UInt8], _ lines: EditedLines
    ) throws(EditableTextError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        guard let place = start(bytes) else {
            throw lines.error(
                at: lines.place,
                "here is no JSON, which begins with { or [; write `# content: text` for other text")
        }
        do throws(JSONError) {
            let root = try JSONDocument.scan(bytes, in: place..<bytes.count).root
            let json = isSpaced ? JSONText.spaced(root) : JSONText.compact(root)
            return bytes[..<place] + Array(json.utf8) + ending
        } catch {
            throw lines.error(
                at: lines.place + error.offset,
                "\(error); write `# content: text` to send it as it stands")
        }
    }

    /// Whether an editor shows all of it.
    private static func isPlain(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
    }

    private static func wrapped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: 76).map {
            String(decoding: bytes[$0..<min($0 + 76, bytes.count)], as: UTF8.self)
        }.joined(separator: "\n")
    }

    private static func withoutCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
        bytes.indices.filter {
            bytes[$0] != 0x0D || $0 + 1 == bytes.count || bytes[$0 + 1] != 0x0A
        }.map { bytes[$0] }
    }

    private static func withCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    }
}
