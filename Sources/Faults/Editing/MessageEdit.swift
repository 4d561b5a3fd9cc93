import Framing
import Notation
import Wire

/// One change of a recorded message that is sent again, in the words of the rules: `json /a 1`,
/// `header X v`, `query a b`, `form a b`, `path /b`, `replace a b`, `json-remove /a`; and for a
/// change of Simperium `object title "New"`.
public struct MessageEdit: Hashable, Sendable {
    private let action: FaultAction

    /// Reads one.
    ///
    /// - Throws: ``EditableTextError`` where it is none.
    public init(_ text: String) throws(EditableTextError) {
        do throws(FaultPlanError) {
            let action = text.hasPrefix("object ") ? "edit-\(text)" : "edit \(text)"
            self.action = try FaultAction.parse(action)
        } catch {
            throw EditableTextError("\(text): \(error)")
        }
        guard action.kind == .editObject || EditedPart(action) != nil else {
            throw EditableTextError("\(text): this is no edit")
        }
        if EditedPart(action) == .status || action.text("sender") == "server" {
            throw EditableTextError("\(text): only what a client sent is sent again")
        }
    }

    /// A request with the edit.
    ///
    /// The length is made right; content in a coding is in the same again.
    ///
    /// - Throws: ``EditableTextError`` where it cannot be done.
    func request(_ bytes: [UInt8]) throws(EditableTextError) -> [UInt8] {
        let message = try FramedMessage(bytes, from: .client, answering: nil)
        var head = EditableHead(message.head)
        guard let part = EditedPart(action) else {
            throw EditableTextError("\(words): a request has no object of Simperium")
        }
        guard !part.isOfHead else {
            if part == .header, Self.framing.contains((action.text("at") ?? "").lowercased()) {
                throw EditableTextError("\(words): the length follows from the content")
            }
            do throws(EditProblem) {
                try head.edit(action)
            } catch {
                throw EditableTextError("\(words): \(error.text)")
            }
            return message.before + head.bytes + message.body
        }
        guard var body = EditedBody(message.content, message.head) else {
            throw EditableTextError("\(words): the content cannot be decoded")
        }
        do throws(EditProblem) {
            guard let edit = try ContentEdit(action) else { return bytes }
            let type = message.head.value(of: "content-type")
            guard try edit.apply(to: body.content, type: type) != body.content else {
                return bytes
            }
            try body.edit(edit)
        } catch {
            throw EditableTextError("\(words): \(error.text)")
        }
        let content = body.framed(&head)
        return message.before + head.bytes + content
    }

    /// A command of a client with the edit.
    ///
    /// - Parameter text: The command; what is edited as JSON is its payload.
    /// - Returns: The command with the edit.
    /// - Throws: ``EditableTextError`` where it cannot be done.
    public func command(_ text: [UInt8]) throws(EditableTextError) -> [UInt8] {
        guard action.kind != .editObject else {
            let value = ContentEdit.value(action.text("to") ?? "")
            let name = action.text("member") ?? ""
            guard
                let edited = CommandEdit.settingMember(text, from: .client, name, to: value)
            else {
                throw EditableTextError(
                    "\(words): the command is no change that says what becomes of \(name)")
            }
            return edited
        }
        do throws(EditProblem) {
            guard let edit = try ContentEdit(action) else {
                throw EditProblem("a command has no head")
            }
            if case .replace = edit { return try edit.apply(to: text, type: nil) }
            guard let start = EditableText.startOfJSON(inCommand: text, from: .client) else {
                throw EditProblem("the command has no JSON")
            }
            return text[..<start] + (try edit.apply(to: Array(text[start...]), type: nil))
        } catch {
            throw EditableTextError("\(words): \(error.text)")
        }
    }

    /// Fields that say where the content ends.
    private static let framing: Set<String> = ["content-length", "transfer-encoding"]

    private var words: String {
        String(action.description.dropFirst("edit ".count))
    }
}
