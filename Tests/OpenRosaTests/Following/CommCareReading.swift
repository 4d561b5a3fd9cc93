@testable import OpenRosa

/// What a document said.
struct Reading: Hashable {
    var events: [CommCareEvent] = []
    var error: XMLError?

    /// The events but notes and the end.
    var said: [CommCareEvent] {
        events.filter { event in
            switch event {
            case .note, .end: false
            default: true
            }
        }
    }

    /// The codes of the notes, in order.
    var codes: [String] {
        events.compactMap { if case .note(let note) = $0 { note.code } else { nil } }
    }

    var blocks: [CaseBlock] {
        events.compactMap { if case .caseBlock(let block) = $0 { block } else { nil } }
    }

    var ledgers: [LedgerBlock] {
        events.compactMap { if case .ledger(let ledger) = $0 { ledger } else { nil } }
    }

    var end: DocumentEnd? {
        if case .end(let end)? = events.last { end } else { nil }
    }

    /// Reads `pieces` as one document.
    init(
        _ pieces: [[UInt8]], purpose: OpenRosaReader.Purpose = .any,
        limits: XMLLimits = XMLLimits(), bounds: CommCareBounds = CommCareBounds()
    ) {
        var events: [CommCareEvent] = []
        let reader = CommCareReader(purpose: purpose, limits: limits, bounds: bounds) {
            events.append($0)
        }
        do {
            for piece in pieces { try reader.feed(piece.span) }
            try reader.finish()
        } catch {
            self.error = error
        }
        self.events = events
    }

    /// Reads `text` at once.
    init(
        _ text: String, purpose: OpenRosaReader.Purpose = .any,
        limits: XMLLimits = XMLLimits(), bounds: CommCareBounds = CommCareBounds()
    ) {
        self.init([Array(text.utf8)], purpose: purpose, limits: limits, bounds: bounds)
    }
}

/// A response around `payload`, with all that belongs to a restore.
func restore(_ payload: String) -> String {
    "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message nature='ota_restore_success'/><Sync xmlns='http://commcarehq.org/sync'><restore_id>1</restore_id></Sync>\(payload)</OpenRosaResponse>"
}

/// A form around `payload`, with all that belongs to one.
func form(_ payload: String) -> String {
    "<data xmlns='urn:f'>\(payload)<meta xmlns='http://openrosa.org/jr/xforms'><instanceID>i</instanceID></meta></data>"
}

/// A case block of version 2 around `payload`.
func block(_ payload: String, id: String = "c") -> String {
    "<case xmlns='http://commcarehq.org/case/transaction/v2' case_id='\(id)' date_modified='d' user_id='u'>\(payload)</case>"
}

/// The place of the first occurrence of `part` in `text`.
func place(of part: String, in text: String) -> XMLPosition? {
    guard let range = text.firstRange(of: part) else { return nil }
    let before = text[..<range.lowerBound].unicodeScalars
    let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
    return XMLPosition(
        offset: Int64(String(before).utf8.count), line: lines.count,
        column: (lines.last?.count ?? 0) + 1)
}
