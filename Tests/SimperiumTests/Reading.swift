import Simperium
import Wire

/// Reads `text` as a message.
func read(_ text: String, from sender: Peer) -> SimperiumCommand {
    SimperiumCommand.parse(Array(text.utf8), from: sender)
}

/// The part of `text` that a range of bytes names.
func slice(_ text: String, _ range: Range<Int>?) -> String? {
    guard let range, range.upperBound <= text.utf8.count else { return nil }
    return String(decoding: Array(text.utf8)[range], as: UTF8.self)
}

extension SimperiumCommand {
    /// The notes as `code` or `code/field`, without the part that all share.
    var reported: [String] {
        notes.map { note in
            note.code.rawValue.replacing("simperium.", with: "")
                + (note.field.map { "/\($0)" } ?? "")
        }
    }
}
