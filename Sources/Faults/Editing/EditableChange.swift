public import Notation
import Simperium
public import Wire

/// A change of a Simperium object as a text with the object after it, and back.
///
/// The first line after the remarks is the command without its operations; after an empty line
/// follows the object. What is sent are the operations that make the edited object of the base.
public struct EditableChange: Sendable {
    /// What marks such a text.
    private static let mark = "# content: object"

    private let original: [UInt8]
    private let base: JSONValue
    /// The object after the change.
    private let object: JSONValue
    /// The operations as they were sent.
    private let operations: [UInt8]
    /// Where the change is in the JSON of the command.
    private let place: String
    private let payload: Range<Int>
    /// Whether the change has the whole object too.
    private let hasWhole: Bool

    /// The change that a command has; nil where it has none, several, or one that does not change an
    /// object as `base` is.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - sender: Who sent it.
    ///   - base: The object before the change; `{}` for one that it creates.
    public init?(_ command: [UInt8], from sender: Peer, base: JSONValue) {
        let parsed = SimperiumCommand.parse(command, from: sender)
        guard case .changes(let changes) = parsed.body, changes.count == 1,
            changes[0].operation == .modify, let range = changes[0].value,
            let map = try? JSONDocument.scan(command, in: range),
            let after = try? JSONDiff.apply(JSONValue(map.root), to: base),
            case .object = after
        else { return nil }
        original = command
        operations = Array(command[range])
        self.base = base
        object = after
        payload = parsed.payload
        hasWhole = changes[0].data != nil
        let isList = command[payload].first { $0 > 0x20 } == UInt8(ascii: "[")
        place = isList ? "/0" : ""
    }

    /// The text.
    public var text: String {
        var command = original
        for name in hasWhole ? ["v", "d"] : ["v"] {
            command = edited(command, name) { document, place throws(JSONDocument.EditError) in
                try document.removing(place)
            }
        }
        return "\(Self.mark) (what is sent is the change that makes it)\n"
            + String(decoding: command, as: UTF8.self) + "\n\n\(Self.laidOut(object))\n"
    }

    /// Whether a text says that it has an object, and not a whole command.
    public static func isText(_ text: String) -> Bool {
        var lines = EditedLines(text)
        while let line = lines.peek(), line.first == UInt8(ascii: "#") {
            if line.starts(with: mark.utf8) { return true }
            _ = lines.next()
        }
        return false
    }

    /// The command of an edited text.
    ///
    /// - Parameter text: The text.
    /// - Returns: The command; the original where nothing was edited.
    /// - Throws: ``EditableTextError`` with the place of what is wrong.
    public func command(_ text: String) throws(EditableTextError) -> [UInt8] {
        var lines = EditedLines(text)
        while let line = lines.peek(), line.first == UInt8(ascii: "#") { _ = lines.next() }
        let start = lines
        let head = Array(lines.next() ?? [])
        let shown = self.text.split(separator: "\n", omittingEmptySubsequences: false)[1]
        let isSameHead = head.elementsEqual(shown.utf8)
        guard lines.next()?.isEmpty ?? false else {
            throw start.error(
                at: start.place,
                "here belong the command on one line, an empty line, and the object")
        }
        let edited = try Self.object(lines)
        if isSameHead, edited == object { return original }
        let operations = edited == object ? self.operations : try self.operations(edited, lines)
        var command = original
        if !isSameHead {
            guard
                (try? JSONDocument.scan(
                    head, in: SimperiumCommand.parse(head, from: .client).payload)) != nil
            else { throw start.error(at: start.place, "here belongs the command, with JSON in it") }
            command = head
        }
        command = self.edited(command, "v") { document, place throws(JSONDocument.EditError) in
            try document.setting(place, to: operations)
        }
        guard hasWhole else { return command }
        return self.edited(command, "d") { document, place throws(JSONDocument.EditError) in
            try document.setting(place, to: edited.bytes())
        }
    }

    private func operations(
        _ edited: JSONValue, _ lines: EditedLines
    ) throws(EditableTextError) -> [UInt8] {
        do throws(DiffError) {
            return try JSONDiff.diff(base, edited).bytes()
        } catch {
            throw lines.error(at: lines.place, "no change makes this of the object: \(error)")
        }
    }

    private static func object(_ lines: EditedLines) throws(EditableTextError) -> JSONValue {
        do throws(JSONError) {
            let root = try JSONDocument.scan(Array(lines.rest)).root
            guard root.kind == .object else { throw .unexpectedByte(0x5B, offset: 0) }
            return JSONValue(root)
        } catch {
            throw lines.error(at: lines.place + error.offset, "\(error)")
        }
    }

    private static func laidOut(_ value: JSONValue) -> String {
        guard let document = try? JSONDocument.scan(value.bytes()) else { return value.text() }
        return JSONText.pretty(document.root)
    }

    /// A command with another member of its change; the same where that cannot be.
    private func edited(
        _ command: [UInt8], _ name: String,
        _ edit: (JSONDocument, JSONPointer) throws(JSONDocument.EditError) -> [UInt8]
    ) -> [UInt8] {
        let payload = SimperiumCommand.parse(command, from: .client).payload
        guard let pointer = JSONPointer("\(place)/\(name)"),
            let document = try? JSONDocument.scan(Array(command[payload])),
            let edited = try? edit(document, pointer)
        else { return command }
        return command[..<payload.lowerBound] + edited
    }
}
