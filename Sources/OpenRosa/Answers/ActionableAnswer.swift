/// The body of a 406 in any of the shapes that occur.
///
/// The specification has JSON alone; a server may send an `OpenRosaResponse`, and a client shows
/// what it cannot read as it is.
/// Source: OpenRosa/Specification.md#code-406.
public enum ActionableAnswer: Hashable, Sendable {
    /// The JSON of the specification.
    case json(ActionableMessage)
    /// An `OpenRosaResponse`: the nature, which may be a translation key, and the text.
    case xml(nature: String?, text: String)
    /// Text that is neither.
    case text(String)
    /// Nothing that could be shown.
    case empty

    /// Longest text shown as it is, in bytes of UTF-8; what is longer is cut.
    public static let longestText = 4096

    /// Reads a body.
    public init(_ body: [UInt8]) {
        if let message = try? ActionableMessage(parsing: body.span) {
            self = .json(message)
            return
        }
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let start = body.drop { blanks.contains($0) }
        if start.first == UInt8(ascii: "<") || body.starts(with: [0xEF, 0xBB, 0xBF]) {
            let document = OpenRosaReader.read(body)
            if document.root == "OpenRosaResponse", document.problem == nil,
                document.nature != nil || document.message != nil
            {
                self = .xml(nature: document.nature, text: document.message ?? "")
                return
            }
        }
        var text = String(decoding: start.prefix(Self.longestText), as: UTF8.self)
        // A character that the bound cut in two has become one replacement at the end.
        if start.count > Self.longestText, text.unicodeScalars.last == "\u{FFFD}" {
            text.unicodeScalars.removeLast()
        }
        while text.unicodeScalars.last.map({ " \t\r\n".unicodeScalars.contains($0) }) == true {
            text.unicodeScalars.removeLast()
        }
        self = text.isEmpty ? .empty : .text(text)
    }

    /// Whether the specification is kept.
    public var isSpecified: Bool {
        if case .json = self { true } else { false }
    }

    /// What to show a user.
    ///
    /// - Parameter translations: Texts by translation key, in the user's language.
    /// - Returns: The translation of the key, else the text of the answer, else `Unknown issue`.
    public func message(translations: [String: String] = [:]) -> String {
        switch self {
        case .json(let message): message.message(translations: translations)
        case .xml(let nature, let text):
            nature.flatMap { translations[$0] } ?? (text.isEmpty ? Self.unknown : text)
        case .text(let text): text
        case .empty: Self.unknown
        }
    }

    private static let unknown = "Unknown issue"
}
