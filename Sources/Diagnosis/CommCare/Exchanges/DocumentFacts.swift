import Dissection
import OpenRosa

/// The facts of an OpenRosa document that rules need, from one reading.
final class DocumentFacts {
    /// The first notes, in order.
    private(set) var notes: [OpenRosaNote] = []
    /// The form, if it is one.
    private(set) var form: FormInstance?
    /// The form's metadata.
    private(set) var meta: FormMeta?
    /// The first case block of version 1.
    private(set) var old: CaseBlock?
    /// The number of case blocks.
    private(set) var cases = 0
    /// Files that the form names.
    private(set) var files: [String] = []
    /// The root of an answer.
    private(set) var response: ResponseHead?
    /// Nature of the first message.
    private(set) var nature: String?
    /// Whether there is a message.
    private(set) var hasMessage = false
    /// Whether there is progress.
    private(set) var hasProgress = false
    /// The registration of a restore.
    private(set) var registration: Registration?
    /// Children of the root; nil where the end was not reached.
    private(set) var children: Int?
    /// The error that ended the reading.
    private(set) var error: XMLError?

    private static let maxNotes = 256

    /// Reads a document in `side`.
    ///
    /// - Parameters:
    ///   - side: Head and content.
    ///   - part: The part that holds it; nil for the content itself.
    ///   - purpose: The expected kind of document.
    /// - Returns: Nil where the content is not kept whole.
    static func read(
        _ side: SideEvidence, _ part: PartRow? = nil, purpose: OpenRosaReader.Purpose
    ) -> DocumentFacts? {
        let facts = DocumentFacts()
        let reader = CommCareReader(purpose: purpose) { facts.take($0) }
        let wanted = part.map { $0.offset..<$0.offset + $0.size }
        var offset: Int64 = 0
        var isRefused = false
        let isRead = side.read { piece in
            var piece = piece
            let start = offset
            offset += Int64(piece.count)
            if let wanted {
                let from = max(wanted.lowerBound, start)
                let to = min(wanted.upperBound, offset)
                guard from < to else { return offset < wanted.upperBound }
                piece =
                    piece[
                        (piece.startIndex + Int(from - start))..<(piece.startIndex + Int(to - start))
                    ]
            }
            do throws(XMLError) {
                try reader.feed(piece.span)
            } catch {
                facts.error = error
                isRefused = true
                return false
            }
            return wanted.map { offset < $0.upperBound } ?? true
        }
        guard isRead || isRefused else { return nil }
        if !isRefused {
            do throws(XMLError) { try reader.finish() } catch { facts.error = error }
        }
        return facts
    }

    private func take(_ event: CommCareEvent) {
        switch event {
        case .note(let note): if notes.count < Self.maxNotes { notes.append(note) }
        case .form(let value): form = value
        case .meta(let value): meta = value
        case .caseBlock(let block):
            cases += 1
            if block.version == .one, old == nil { old = block }
        case .file(let reference): if files.count < 1_000 { files.append(reference.file) }
        case .response(let value): response = value
        case .message(let message):
            if !hasMessage { nature = message.nature }
            hasMessage = true
        case .progress: hasProgress = true
        case .registration(let value): registration = value
        case .end(let end): children = end.children
        default: return
        }
    }

    /// The first note with one of these codes.
    func note(_ codes: String...) -> OpenRosaNote? {
        notes.first { codes.contains($0.code) }
    }

    /// The error in the XML; nil where it was read, or refused only for its size.
    var malformation: XMLError? {
        switch error?.reason {
        case .malformed, .truncated, .empty, .encoding, .unknownEncoding, .controlCharacter: error
        default: nil
        }
    }
}
