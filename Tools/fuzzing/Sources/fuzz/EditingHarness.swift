internal import Faults
internal import Notation
internal import Wire

extension Harness {
    /// Has the message in the first line edited: the second is the text that somebody leaves.
    ///
    /// Of a change, the second line is the object before it, and the text is the third.
    static let editing = Harness(name: "editing") { bytes in
        var input = Input(bytes)
        let kind = input.choice() % 7
        let lines = Input.messages(input.bytes, most: kind == 6 ? 3 : 2)
        guard let original = lines.first, let last = lines.last else { return }
        let edited = String(decoding: last, as: UTF8.self)
        if kind == 6 {
            guard lines.count == 3, let base = try? JSONDocument.scan(lines[1]) else { return }
            edit(original, of: JSONValue(base.root), to: edited)
        } else if let form = EditedForm(kind, of: original) {
            form.demandUnchanged()
            do throws(EditableTextError) {
                let made = try form.read(edited)
                EditedForm(kind, of: made)?.demandUnchanged()
            } catch {
                demandInside(error, edited)
            }
        }
    }

    private static func edit(_ original: [UInt8], of base: JSONValue, to edited: String) {
        guard let change = EditableChange(original, from: .client, base: base) else { return }
        demand((try? change.command(change.text)) == original, "unedited it is the same change")
        do throws(EditableTextError) {
            let made = try change.command(edited)
            guard let again = EditableChange(made, from: .client, base: base) else { return }
            demand((try? again.command(again.text)) == made, "unedited it is the same once more")
        } catch {
            demandInside(error, edited)
        }
    }

    private static func demandInside(_ error: EditableTextError, _ text: String) {
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        if let line = error.line {
            demand((1...max(1, lines.count)).contains(line), "\(error) is inside the text")
        }
        demand((error.column ?? 1) >= 1, "\(error) is in a column")
    }
}

/// A message as the text in which it is edited, and back.
private struct EditedForm {
    let original: [UInt8]
    let text: String
    private let kind: UInt8

    /// Nil where a message of HTTP cannot be framed.
    init?(_ kind: UInt8, of original: [UInt8]) {
        (self.kind, self.original) = (kind, original)
        switch kind {
        case 0, 1:
            guard let text = try? EditableText.text(ofHTTP: original, from: Self.sender(kind))
            else {
                return nil
            }
            self.text = text
        case 2, 3: text = EditableText.text(ofCommand: original, from: Self.sender(kind))
        default: text = EditableText.text(ofMessage: original)
        }
    }

    private static func sender(_ kind: UInt8) -> Peer { kind.isMultiple(of: 2) ? .client : .server }

    func read(_ text: String) throws(EditableTextError) -> [UInt8] {
        switch kind {
        case 0, 1: try EditableText.http(text, inPlaceOf: original, from: Self.sender(kind))
        case 2, 3: try EditableText.command(text, inPlaceOf: original, from: Self.sender(kind))
        default: try EditableText.message(text, inPlaceOf: original, isText: kind == 4)
        }
    }

    /// Demands that it is the same where nobody edits it.
    func demandUnchanged() {
        // A message of text that is none is not what a peer can have sent as a command.
        guard kind != 2 && kind != 3 || String(validating: original, as: UTF8.self) != nil else {
            return
        }
        demand((try? read(text)) == original, "unedited it is the same message:\n\(text)")
    }
}
