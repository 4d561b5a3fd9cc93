import Dissection
import OpenRosa
import Wire

/// Checks the answer to a sync.
enum SyncAnswerCheck {
    private typealias Rules = CommCareExchangeRules
    private typealias Adding = (_ rule: Rule, _ detail: String) -> Void

    static func judge(
        _ exchange: ExchangeEvidence, _ response: SideEvidence,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        func add(_ rule: Rule, _ detail: String, _ quote: String?) {
            report.add(
                Finding(
                    rule, answered: exchange, session, detail: Quote.escaped(detail), quote: quote))
        }
        switch row.status {
        case 202:
            retryAfter(exchange, response, add)
            pending(response) { add($0, $1, nil) }
        case 412:
            let document = response.documents.first { $0.root == "OpenRosaResponse" }
            guard document?.nature != "ota_restore_error" else { return }
            add(
                Rules.restoreError,
                document.map {
                    "The 412 has the nature \($0.nature.map { "\"\($0)\"" } ?? "none")."
                } ?? "The body of the 412 is not an OpenRosaResponse.",
                Quote.of(response.body.content))
        case 200:
            if let version = exchange.request?.head.value("x-openrosa-version"),
                let asked = row.requestEndedAt, let responded = row.respondedAt,
                responded.nanoseconds - asked.nanoseconds > 60_000_000_000,
                let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 2
            {
                let seconds = (responded.nanoseconds - asked.nanoseconds) / 1_000_000_000
                add(
                    Rules.slowRestore,
                    "The restore took \(seconds) s to begin, and was not answered 202 before.", nil)
            }
            restore(response) { add($0, $1, nil) }
        default: return
        }
    }

    private static func retryAfter(
        _ exchange: ExchangeEvidence, _ response: SideEvidence,
        _ add: (_ rule: Rule, _ detail: String, _ quote: String?) -> Void
    ) {
        guard let field = response.head.first("retry-after") else {
            add(Rules.retryAfterMissing, "The 202 has no Retry-After.", nil)
            return
        }
        let value = field.value
        let isWell =
            value.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && Int(value).map { (1...2_147_483).contains($0) } ?? false
        guard !isWell else { return }
        add(Rules.retryAfterMalformed, "The 202 has Retry-After \"\(value)\".", field.line)
    }

    private static func pending(_ response: SideEvidence, _ add: Adding) {
        guard response.body.size > 0 else {
            add(Rules.progressMissing, "The 202 has no body, and therefore no progress.")
            return
        }
        guard let facts = DocumentFacts.read(response, purpose: .any) else { return }
        guard facts.malformation == nil, facts.response != nil else {
            let why = facts.malformation.map { "is not well-formed: \($0)" }
            add(
                Rules.pendingEnvelope,
                "The body of the 202 \(why ?? "is not an OpenRosaResponse").")
            return
        }
        envelope(facts, add)
        if let nature = facts.nature, nature != "ota_restore_pending" {
            add(Rules.pendingEnvelope, "The 202 has the nature \"\(nature)\".")
        } else if let note = facts.notes.first(where: {
            $0.code.hasPrefix("openrosa.namespace-") && $0.detail.hasPrefix("<Sync>")
        }) {
            add(Rules.pendingEnvelope, "The 202 has another namespace: \(note.detail).")
        }
        if !facts.hasProgress {
            add(Rules.progressMissing, "The body of the 202 has no progress.")
        } else if let note = facts.note("openrosa.progress-malformed") {
            add(Rules.progressMalformed, "The progress of the 202 is malformed: \(note.detail).")
        }
    }

    private static func restore(_ response: SideEvidence, _ add: Adding) {
        guard response.body.size > 0 else {
            add(Rules.restoreNotWellFormed, "The restore is empty.")
            return
        }
        guard let facts = DocumentFacts.read(response, purpose: .any) else { return }
        if facts.response == nil, facts.malformation == nil || !looksLikeXML(response) {
            add(Rules.namespace, "The answer 200 to a restore is not an OpenRosaResponse.")
            return
        }
        if let error = facts.malformation {
            add(Rules.restoreNotWellFormed, "The restore is not well-formed: \(error).")
            return
        }
        guard facts.error == nil else { return }
        envelope(facts, add)
        if let note = facts.note(
            "openrosa.restore-id-missing", "openrosa.restore-id-not-first",
            "openrosa.restore-id-repeated")
        {
            add(Rules.restoreIDMissing, "The restore_id is wrong: \(note.detail).")
        }
        let registration = facts.note(
            "openrosa.registration-incomplete", "openrosa.registration-order",
            "openrosa.registration-unknown")
        if let note = registration {
            add(Rules.registrationMalformed, "The registration: \(note.detail).")
        } else if let date = facts.registration?.date, !isDate(date) {
            add(Rules.registrationMalformed, "The registration has the date \"\(date)\".")
        }
        if let items = facts.response?.items, let children = facts.children {
            let count = Int(items)
            if count != children, count != children - 1 {
                add(
                    Rules.itemsDiffer,
                    "items is \"\(items)\", and there are \(children) elements, the message counted."
                )
            }
        }
        if let note = facts.note("openrosa.fixture-id-missing", "openrosa.fixture-schema-missing") {
            add(
                Rules.fixtureMalformed,
                note.code == "openrosa.fixture-id-missing"
                    ? "The restore has \(note.detail)." : "No schema precedes \(note.detail).")
        }
        if let note = facts.note("openrosa.value-too-long") {
            add(Rules.serverValueTooLong, "A case of the restore has a \(note.detail).")
        }
        if let note = facts.note("openrosa.index-self", "openrosa.index-relationship") {
            add(
                Rules.serverIndexWrong,
                note.code == "openrosa.index-self"
                    ? "An index of \(note.detail) leads to the case itself."
                    : "An index of the restore has the \(note.detail).")
        }
    }

    /// A root in no namespace or another one.
    private static func envelope(_ facts: DocumentFacts, _ add: Adding) {
        guard let root = facts.response, root.namespace != "http://openrosa.org/http/response"
        else { return }
        add(
            Rules.namespace,
            "OpenRosaResponse is in \(root.namespace.map { "the namespace \"\($0)\"" } ?? "no namespace")."
        )
    }

    private static func looksLikeXML(_ response: SideEvidence) -> Bool {
        let content = response.body.content
        guard let first = content.firstIndex(where: { $0 > 0x20 && $0 < 0x80 }) else {
            return false
        }
        let start = String(decoding: content[first...].prefix(64), as: UTF8.self).lowercased()
        return start.hasPrefix("<") && !start.hasPrefix("<!doctype") && !start.hasPrefix("<html")
    }

    /// Whether a text begins with a day.
    private static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(10))
        guard bytes.count == 10 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            index == 4 || index == 7 ? byte == 0x2D : (0x30...0x39).contains(byte)
        }
    }
}
