import Notation
import Simperium
public import Wire

/// Messages as texts that somebody edits, and back.
///
/// The lines with # at the beginning are remarks. The last of them says how the content stands in
/// the text: `# content: json` for JSON with a line for each value, which is sent on one line as it
/// was; `text` for text as it is; `text-crlf` for text with CR LF; `base64`. Whoever edits may name
/// another. A line break at the end of the text is no part of the message.
public enum EditableText {
    /// Whether there is nothing to be sent.
    public static func isEmpty(_ text: String) -> Bool {
        text.utf8.allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
    }

    /// The text of a Simperium command.
    ///
    /// - Parameters:
    ///   - text: The command.
    ///   - sender: Who sent it.
    /// - Returns: The text.
    public static func text(ofCommand text: [UInt8], from sender: Peer) -> String {
        self.text(of: command(text, from: sender))
    }

    /// The command of an edited text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - original: The command of which the text was made.
    ///   - sender: Who sent it.
    /// - Returns: The command; `original` where nothing was edited.
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    public static func command(
        _ text: String, inPlaceOf original: [UInt8], from sender: Peer
    ) throws(EditableTextError) -> [UInt8] {
        let edited = try read(text, like: command(original, from: sender))
        return try requireText(edited)
    }

    /// The text of a message of a WebSocket that is no command.
    public static func text(ofMessage payload: [UInt8]) -> String {
        text(of: EditableContent(payload))
    }

    /// The payload of an edited text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - original: The payload of which the text was made.
    ///   - isText: Whether it is sent as text.
    /// - Returns: The payload; `original` where nothing was edited.
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    public static func message(
        _ text: String, inPlaceOf original: [UInt8], isText: Bool
    ) throws(EditableTextError) -> [UInt8] {
        let edited = try read(text, like: EditableContent(original))
        // What was sent as text without being text may be sent again.
        return isText && edited != original ? try requireText(edited) : edited
    }

    // MARK: Parts

    /// What the last remark begins with.
    private static let mark = "# content:"

    /// The last remark for content in a form.
    static func mark(_ form: ContentForm) -> String {
        let forms = ContentForm.allCases.map(\.rawValue).joined(separator: ", ")
        return "\(mark) \(form.rawValue) (one of \(forms))\n"
    }

    /// Reads the remarks.
    ///
    /// - Returns: The form that they name; nil where they name none.
    static func remarks(_ lines: inout EditedLines) throws(EditableTextError) -> ContentForm? {
        while let line = lines.peek(), line.first == UInt8(ascii: "#") {
            let start = lines.place
            _ = lines.next()
            guard line.starts(with: mark.utf8) else { continue }
            let words = line.dropFirst(mark.utf8.count)
            let word = words.drop { $0 == 0x20 }.prefix { $0 > 0x20 && $0 != 0x2C }
            if let form = ContentForm(rawValue: String(decoding: word, as: UTF8.self)) {
                return form
            }
            let known = ContentForm.allCases.map(\.rawValue).joined(separator: ", ")
            throw lines.error(
                at: max(start, word.startIndex),
                "content is one of \(known), not \(String(decoding: word, as: UTF8.self))")
        }
        return nil
    }

    private static func text(of content: EditableContent) -> String {
        mark(content.form) + content.text + "\n"
    }

    private static func read(
        _ text: String, like original: EditableContent
    ) throws(EditableTextError) -> [UInt8] {
        var lines = EditedLines(text)
        if let form = try remarks(&lines) { return try original.read(lines, as: form) }
        // Without remarks, lines with # are part of the message.
        return try original.read(EditedLines(text), as: original.form)
    }

    private static func requireText(_ bytes: [UInt8]) throws(EditableTextError) -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw EditableTextError("the bytes are not UTF-8, which a message of text has to be")
        }
        return bytes
    }

    private static func command(_ text: [UInt8], from sender: Peer) -> EditableContent {
        EditableContent(text) { startOfJSON(inCommand: $0, from: sender) }
    }

    /// Where the JSON of a command begins; nil where it has none.
    static func startOfJSON(inCommand text: [UInt8], from sender: Peer) -> Int? {
        let payload = SimperiumCommand.parse(text, from: sender).payload
        // An object follows its key and a line break.
        let second = text[payload].firstIndex(of: 0x0A).map { $0 + 1 }
        return [payload.lowerBound, second ?? payload.upperBound].first {
            $0 < payload.upperBound && (text[$0] == 0x7B || text[$0] == 0x5B)
        }
    }
}
