internal import Framing
internal import Notation
internal import OpenRosa
internal import Serving
internal import Wire

extension CommCareServer {
    /// Answers what is sent to the receiver of a domain.
    ///
    /// With `isOpenRosa` ODK's variants are accepted as well: several requests for one form, marked
    /// as such.
    mutating func submission(
        _ request: ServedRequest, _ domain: String, isOpenRosa: Bool, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        guard request.method == "HEAD" || request.method == "POST" else {
            return Self.notAllowed("HEAD, POST")
        }
        let types = ["noauth", "basic", "digest", "api_key", "oauth2"]
        if let type = request.parameter("authtype"), !types.contains(type) {
            return .text(400, "authtype must be one of: \(types.joined(separator: ", "))")
        }
        let isDemonstration = request.parameter("submit_mode") == "demo"
        var user: Accounts.User?
        if !isDemonstration {
            switch access(request, domain, isRequired: !accounts.isOpen && !accounts.takesAll) {
            case .user(let known): user = known
            case .nobody: break
            case .refused(let answer): return answer
            }
        }
        if request.method == "HEAD" {
            return ServedAnswer(204, fields: [.init("Location", location(request))])
        }
        let most = options.submissionsPerMinute
        if let refusal = overload("submissions", most: most, of: user, now) { return refusal }
        switch Self.body(request) {
        case .refused(let answer): return answer
        case .whole(let body):
            switch Self.parts(body, request, isOpenRosa) {
            case .refused(let answer): return answer
            case .found(let form, let attachments):
                if isDemonstration {
                    return Self.response(
                        201, "submit_success", "√ (this submission was ignored)")
                }
                do {
                    return try store(
                        try FormDocument(form), form, attachments, domain, user, request, now,
                        &random)
                } catch {
                    return Self.response(422, "processing_failure", error.detail)
                }
            }
        }
    }

    enum Body {
        case whole([UInt8])
        case refused(ServedAnswer)
    }

    /// The body without its content codings.
    static func body(_ request: ServedRequest) -> Body {
        guard !request.body.isEmpty else {
            return .refused(.text(400, "Post may not have an empty body"))
        }
        guard let codings = request.value("content-encoding"), codings.lowercased() != "identity"
        else { return .whole(request.body) }
        do {
            guard let body = try Gzip.decode(request.body, codings, most: Limit.body) else {
                return .refused(.text(413, "The body exceeds \(Limit.body) bytes"))
            }
            return .whole(body)
        } catch .unknown {
            var answer = ServedAnswer.text(415, "Content-Encoding \(codings) is not supported")
            answer.fields.append(.init("Accept-Encoding", "gzip, deflate"))
            return .refused(answer)
        } catch {
            return .refused(.text(400, "The body cannot be decompressed: \(error)"))
        }
    }

    enum Parts {
        case found(form: [UInt8], [Attachment])
        case refused(ServedAnswer)
    }

    /// The form and the files that came with it.
    static func parts(
        _ body: [UInt8], _ request: ServedRequest, _ isOpenRosa: Bool
    ) -> Parts {
        let type = request.value("content-type")
        var submission = Submission(.plain(contentType: type, size: Int64(body.count)))
        var parts: [MultipartBody.Part] = []
        if let type, MultipartBody.isMeant(by: type) {
            guard let read = MultipartBody(body, contentType: type) else {
                return .refused(.text(400, "The multipart body cannot be read"))
            }
            parts = read.parts
            submission = Submission(
                .multipart(
                    parts.map {
                        SubmissionPart(
                            name: $0.name, filename: $0.filename, contentType: $0.contentType,
                            size: Int64($0.content.count))
                    }))
        }
        let findings = submission.findings(profile: isOpenRosa ? .openRosa : .commcare)
        if let finding = findings.first(where: { $0.status != nil }) {
            return .refused(refusal(finding))
        }
        guard !parts.isEmpty else { return .found(form: body, []) }
        guard let form = parts.first(where: { $0.name == SubmissionPart.formName }) else {
            return .refused(.text(400, "The body has no part named \(SubmissionPart.formName)"))
        }
        let attachments = parts.filter {
            $0.filename != nil && $0.name != SubmissionPart.formName
        }
        return .found(
            form: Array(body[form.content]),
            attachments.map {
                Attachment(
                    name: $0.name ?? $0.filename ?? "", contentType: $0.contentType,
                    bytes: Array(body[$0.content]))
            })
    }

    /// What CommCare HQ answers to a submission with this in it.
    private static func refusal(_ finding: SubmissionFinding) -> ServedAnswer {
        switch finding.code {
        case .formMissing, .formIsField:
            .text(
                400,
                "The body has no part named \(SubmissionPart.formName) that is a file: "
                    + finding.detail)
        case .formEmpty: .text(400, "Post may not have an empty body")
        case .formTooLarge: .text(413, "Form exceeds 10MB size limit")
        case .attachmentTooLarge: .text(413, "Attachment exceeds 15MB size limit")
        case .field: .text(400, "Received a submission with POST.keys(): \(finding.detail)")
        default:
            finding.status == 422
                ? response(422, "processing_failure", finding.detail)
                : .text(finding.status ?? 400, finding.detail)
        }
    }

    /// Stores a form that could be read.
    private mutating func store(
        _ form: FormDocument, _ bytes: [UInt8], _ attachments: [Attachment], _ domain: String,
        _ user: Accounts.User?, _ request: ServedRequest, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) throws(FormDocument.Refusal) -> ServedAnswer {
        let id = form.instanceID ?? Self.identifier(&random)
        let fingerprint = FormFingerprint(bytes)
        if let known = domains[domain]?.forms[ExactText(id)], known.fingerprint == fingerprint {
            // Sent again, perhaps with files that the request before did not have.
            if !attachments.isEmpty {
                records.append(
                    .attachments(domain: domain, number: known.number, attachments))
            }
        } else {
            let change: CommCareDomain.Change
            do throws(FormDocument.Refusal) {
                if let known = domains[domain]?.refusals[ExactText(id)],
                    known.fingerprint == fingerprint
                {
                    throw FormDocument.Refusal(detail: known.reason)
                }
                change = try (domains[domain] ?? CommCareDomain()).judge(form)
            } catch {
                // Older clients get a 201: version 3.0 introduced the 422.
                guard Self.isVersion3(request.value("x-openrosa-version")) else {
                    return Self.response(201, "submit_error", error.detail)
                }
                throw error
            }
            guard domains[domain]?.hasRoom(for: change) ?? true else {
                return .busy("This server has no room for more cases")
            }
            let token = request.value(CommCareRequest.lastSyncToken)
            file(
                form, change,
                FiledForm(
                    domain: domain, number: formCount(domain: domain) + 1, instanceID: id,
                    fingerprint: fingerprint, namespace: form.namespace, received: now,
                    user: user?.uuid, token: token, bytes: bytes, attachments: attachments))
        }
        var answer = Self.response(201, "submit_success", "Form received")
        answer.fields += [
            .init("Location", location(request)), .init("X-CommCareHQ-FormID", printable(id)),
        ]
        return answer
    }

    /// Files a form that was judged.
    mutating func file(
        _ form: FormDocument, _ change: CommCareDomain.Change, _ filed: FiledForm
    ) {
        let ownsAll = accounts.isOpen
        domains[filed.domain, default: CommCareDomain()].file(filed.instanceID, filed.fingerprint)
        domains[filed.domain]?.make(change)
        if let token = filed.token {
            // The restore since this token would lack what the device has by now.
            line.drop(domain: filed.domain, since: token)
            domains[filed.domain]?.take(form, token: token, ownsAll: ownsAll)
        }
        records.append(.form(filed))
        if !change.cases.isEmpty {
            records.append(.cases(domain: filed.domain, change.cases, form: filed.number))
        }
        var entities: Set<ExactText> = []
        for block in change.ledgers {
            for id in [block.entityID, block.source, block.destination].compactMap({ $0 }) {
                entities.insert(ExactText(id))
            }
        }
        for entity in entities {
            guard let space = domains[filed.domain], let mark = space.ledgerMarks[entity] else {
                continue
            }
            records.append(
                .ledgers(
                    domain: filed.domain, entity: entity.string, mark, space.balances(entity)))
        }
    }

    /// The address of this server as the client uses it.
    private func location(_ request: ServedRequest) -> String {
        "\(request.isSecure ? "https" : "http")://\(printable(request.value("host") ?? "localhost"))/"
    }

    /// Text that is valid in a header field.
    private func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.prefix(255))
    }
}
