import Dissection
import Notation
import OpenRosa
import Wire

/// Checks a submission: its parts, its parameters and its form.
struct SubmissionCheck {
    private typealias Rules = CommCareExchangeRules

    /// The largest body that each OpenRosa server accepts.
    private var advertised: [String: Int64] = [:]
    private static let maxAdvertised = 1_024
    /// Largest form that is searched for the names of files.
    private static let maxSearched = 1 << 20

    /// Remembers what an answer advertises.
    mutating func learn(_ exchange: borrowing ExchangeEvidence, _ head: HeadLines) {
        guard exchange.row.api.hasPrefix("openrosa."),
            let size = head.value("x-openrosa-accept-content-length").flatMap({ Int64($0) }),
            advertised.count < Self.maxAdvertised
        else { return }
        advertised[exchange.row.host] = size
    }

    func asked(
        _ exchange: ExchangeEvidence, _ request: SideEvidence, _ head: HeadLines,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        if row.api == "commcare.submit" { address(exchange, head, session, &report) }
        guard row.requestEndedAt != nil, request.body.problem == nil, request.body.size > 0 else {
            return
        }
        let isMultipart =
            request.body.contentType?.lowercased().hasPrefix("multipart/") ?? false
        let part = request.parts.first { $0.name == SubmissionPart.formName }
        var facts: DocumentFacts?
        if !isMultipart || part != nil {
            facts = DocumentFacts.read(request, part, purpose: .submission)
        }
        let topic = facts?.meta?.instanceID ?? ""
        if isMultipart {
            parts(exchange, request, facts, topic, session, &report)
        }
        guard let facts else { return }
        FormCheck.judge(facts, exchange, topic, session, &report)
        let query = FormField.parse((row.query ?? "").utf8, limit: 200)
        if row.api == "commcare.submit", facts.cases > 0,
            query.all("authtype").last == "noauth",
            let user = facts.meta?.userID, !user.isEmpty, user != "demo_user"
        {
            report.add(
                Finding(
                    Rules.demoUser, asked: exchange, session, topic: topic,
                    detail:
                        "The form of user \(Quote.escaped(user)) has \(facts.cases) case blocks and is sent with authtype=noauth."
                ))
        }
    }

    private func address(
        _ exchange: ExchangeEvidence, _ head: HeadLines, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        let row = exchange.row
        let types = FormField.parse((row.query ?? "").utf8, limit: 200).all("authtype")
        let isOpen = types.contains("noauth") && head.first("authorization") != nil
        if types.count > 1 || isOpen {
            report.add(
                Finding(
                    Rules.authtype, asked: exchange, session,
                    detail: types.count > 1
                        ? "The submission has authtype \(types.count) times."
                        : "The submission has authtype=noauth and an Authorization."))
        }
        if !row.path.hasSuffix("/"), !row.path.hasSuffix("/submission") {
            report.add(
                Finding(
                    Rules.slash, asked: exchange, session,
                    detail: "POST \(row.path) has no slash at its end."))
        }
    }

    private func parts(
        _ exchange: ExchangeEvidence, _ request: SideEvidence, _ facts: DocumentFacts?,
        _ topic: String, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let submission = Submission(
            .multipart(
                request.parts.map {
                    SubmissionPart(
                        name: $0.name, filename: $0.filename, contentType: $0.contentType,
                        size: $0.size)
                }))
        let isCommCare = exchange.row.api == "commcare.submit"
        let limits = Submission.Limits(
            form: isCommCare ? 10 << 20 : .max, attachment: isCommCare ? 15 << 20 : .max,
            body: isCommCare ? nil : advertised[exchange.row.host])
        let references = submission.isIncomplete || !isCommCare ? nil : facts?.files
        let findings = submission.findings(
            references: references, profile: isCommCare ? .commcare : .openRosa, limits: limits)
        for finding in findings {
            let rule: Rule? =
                switch finding.code {
                case .formMissing, .formIsField: Rules.formPartMissing
                case .formRepeated: Rules.formPartRepeated
                case .formType, .formFilename:
                    // A field has neither, which is reported already.
                    findings.contains { $0.code == .formIsField } ? nil : Rules.formPartType
                case .formTooLarge, .attachmentTooLarge, .bodyTooLarge: Rules.tooLarge
                case .field: isCommCare ? Rules.field : nil
                case .attachmentMissing: Rules.attachmentMissing
                default: nil
                }
            guard let rule else { continue }
            report.add(
                Finding(
                    rule, asked: exchange, session, topic: topic,
                    detail: "In POST \(exchange.row.path), \(Quote.escaped(finding.detail)).",
                    quote: Self.quote(finding.part.flatMap { submission.parts.at($0) })))
        }
        unreferenced(exchange, request, submission, topic, session, &report)
    }

    private static func quote(_ part: SubmissionPart?) -> String? {
        part.map { part in
            Quote.escaped(
                "name=\"\(part.name ?? "")\""
                    + (part.filename.map { "; filename=\"\($0)\"" } ?? "")
                    + (part.contentType.map { "; \($0)" } ?? ""))
        }
    }

    /// Files that are nowhere in the form.
    private func unreferenced(
        _ exchange: ExchangeEvidence, _ request: SideEvidence, _ submission: Submission,
        _ topic: String, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard !submission.attachments.isEmpty,
            let part = request.parts.first(where: { $0.name == SubmissionPart.formName }),
            part.size > 0, part.size <= Self.maxSearched
        else { return }
        var content: [UInt8] = []
        let end = part.offset + part.size
        let isRead = request.read { piece in
            content += piece.prefix(max(0, Int(end) - content.count))
            return content.count < Int(end)
        }
        guard isRead || content.count == Int(end), content.count == Int(end) else { return }
        let form = content[Int(part.offset)...]
        for file in submission.attachments {
            let names = Set([file.name, file.filename].compactMap { $0 })
                .filter { !$0.isEmpty }
            // Names that XML or a header would escape are not checked.
            let isPlain = names.allSatisfy { name in
                name.utf8.allSatisfy {
                    (0x20...0x7E).contains($0) && !"&<>\"'%\\".utf8.contains($0)
                }
            }
            guard isPlain, !names.isEmpty,
                !names.contains(where: { form.hasBytes(Array($0.utf8)) })
            else { continue }
            report.add(
                Finding(
                    Rules.attachmentUnreferenced, asked: exchange, session, topic: topic,
                    detail:
                        "The file \(file.name ?? file.filename ?? "") is sent with a form that does not name it.",
                    quote: Self.quote(file)))
        }
    }
}

extension Array {
    /// The element at `index`, if there is one.
    fileprivate func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension ArraySlice<UInt8> {
    /// Whether `needle` is in here.
    fileprivate func hasBytes(_ needle: [UInt8]) -> Bool {
        guard let first = needle.first, count >= needle.count else { return false }
        var index = startIndex
        let last = endIndex - needle.count
        while index <= last, let found = self[index...last].firstIndex(of: first) {
            if self[found..<(found + needle.count)].elementsEqual(needle) { return true }
            index = found + 1
        }
        return false
    }
}
