extension CommCareServer {
    /// Answers what is sent to the receiver of a domain.
    mutating func submission(
        _ request: ServedRequest, _ domain: String, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        switch request.method {
        case "HEAD": return ServedAnswer(204, fields: [.init("Location", location(request))])
        case "POST": break
        default: return Self.notAllowed("HEAD, POST")
        }
        if let coding = request.value("content-encoding"), coding.lowercased() != "identity" {
            return .text(415, "Content-Encoding \(coding) is not supported")
        }
        guard !request.body.isEmpty else { return .text(400, "Post may not have an empty body") }
        var form = 0..<request.body.count
        if let type = request.value("content-type"), MultipartBody.isMeant(by: type) {
            guard let body = MultipartBody(request.body, contentType: type) else {
                return .text(400, "The multipart body cannot be read")
            }
            guard let part = body.parts.first(where: { $0.name == "xml_submission_file" }) else {
                return .text(400, "The body has no part named xml_submission_file")
            }
            form = part.content
        }
        guard form.count <= Limit.form else { return .text(413, "Form exceeds 10MB size limit") }
        let bytes = Array(request.body[form])
        do {
            let read = try SubmittedForm(bytes.span)
            return try store(read, bytes, domain, request, &random)
        } catch {
            return Self.response(422, "processing_failure", error.says)
        }
    }

    /// Stores a form that could be read.
    private mutating func store(
        _ form: SubmittedForm, _ bytes: [UInt8], _ domain: String, _ request: ServedRequest,
        _ random: inout some RandomNumberGenerator
    ) throws(SubmittedForm.Refusal) -> ServedAnswer {
        let id = form.instanceID ?? Self.identifier(&random)
        let hash = bytes.hashValue
        if domains[domain]?.forms[id]?.hash != hash {
            let changed: [String: StoredCase]
            do {
                changed = try apply(form.cases, to: domains[domain] ?? Domain())
            } catch {
                // Older clients are told with a 201: `x-openrosa-version` 3.0 brought the 422.
                guard request.value("x-openrosa-version")?.contains("3.0") == true else {
                    return Self.response(201, "submit_error", error.says)
                }
                throw error
            }
            guard domains[domain, default: Domain()].store(changed, form: id, hash: hash) else {
                return .text(503, "This server has no room for more cases")
            }
        }
        var answer = Self.response(201, "submit_success", "Form received")
        answer.fields += [
            .init("Location", location(request)), .init("X-CommCareHQ-FormID", printable(id)),
        ]
        return answer
    }

    /// The cases that blocks change, as they are afterwards.
    private func apply(
        _ blocks: [CaseBlock], to space: Domain
    ) throws(SubmittedForm.Refusal) -> [String: StoredCase] {
        var changed: [String: StoredCase] = [:]
        for block in blocks {
            guard !block.id.isEmpty, block.id.utf8.count <= 255 else {
                throw .init(says: "IllegalCaseId: case_id must not be empty or longer than 255")
            }
            let known = changed[block.id] ?? space.cases[block.id]
            guard var value = known ?? block.create.map({ _ in StoredCase(id: block.id) }) else {
                throw .init(says: "IllegalCaseId: case \(block.id) does not exist")
            }
            value.apply(block, form: space.count + 1)
            guard !value.type.isEmpty else {
                throw .init(says: "MissingCaseType: case \(block.id) has no case_type")
            }
            changed[block.id] = value
        }
        return changed
    }

    /// The address of this server as the client knows it.
    private func location(_ request: ServedRequest) -> String {
        "\(request.isSecure ? "https" : "http")://\(printable(request.value("host") ?? "localhost"))/"
    }

    /// Text that may stand in a header field.
    private func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.prefix(255))
    }
}
