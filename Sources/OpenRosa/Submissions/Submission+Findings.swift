internal import Notation
internal import Wire

extension Submission {
    /// What a server or a specification does not accept.
    ///
    /// - Parameters:
    ///   - references: Files that the form references; nil where its content is unknown. Files in
    ///     other requests with the same form must not be among them, nor any for a request that is
    ///     marked incomplete.
    ///   - profile: The rules to hold it to.
    ///   - limits: Sizes that the server takes.
    /// - Returns: What was found, first what is about all of it, then part by part.
    public func findings(
        references: [String]? = nil, profile: Profile = .commcare, limits: Limits = Limits()
    ) -> [SubmissionFinding] {
        var findings: [SubmissionFinding] = []
        if let most = limits.body, contentSize > most {
            findings.append(
                SubmissionFinding(
                    .bodyTooLarge, status: 413,
                    "the parts have \(contentSize) bytes, and the server accepts \(most)"))
        }
        switch body {
        case .plain(let contentType, let size):
            let form = SubmissionPart(
                name: SubmissionPart.formName, filename: nil, contentType: contentType, size: size)
            findings += Self.formSize(form, at: nil, limits)
        case .multipart(let parts):
            findings += countForms(parts)
            for (place, part) in parts.enumerated() {
                findings +=
                    part.isForm
                    ? Self.form(part, at: place, limits)
                    : Self.other(part, at: place, profile, limits)
            }
            findings += compareNames(references: references)
        }
        return findings
    }

    private func countForms(_ parts: [SubmissionPart]) -> [SubmissionFinding] {
        let places = parts.indices.filter { parts[$0].isForm }
        guard let first = places.first else {
            return [
                SubmissionFinding(
                    .formMissing, status: 400, "no part is named \(SubmissionPart.formName)")
            ]
        }
        var findings: [SubmissionFinding] = []
        if places.count > 1 {
            findings.append(
                SubmissionFinding(
                    .formRepeated, part: places[1],
                    "\(places.count) parts are named \(SubmissionPart.formName), and one may be"))
        }
        if first > 0 {
            findings.append(
                SubmissionFinding(
                    .formNotFirst, part: first, "\(first) parts precede the form"))
        }
        return findings
    }

    private static func formSize(
        _ part: SubmissionPart, at place: Int?, _ limits: Limits
    ) -> [SubmissionFinding] {
        if part.size == 0 {
            return [SubmissionFinding(.formEmpty, part: place, status: 400, "the form is empty")]
        }
        guard part.size > limits.form else { return [] }
        return [
            SubmissionFinding(
                .formTooLarge, part: place, status: 413,
                "the form has \(part.size) bytes, and the server accepts \(limits.form)")
        ]
    }

    private static func form(
        _ part: SubmissionPart, at place: Int, _ limits: Limits
    ) -> [SubmissionFinding] {
        var findings = formSize(part, at: place, limits)
        if !part.isFile {
            findings.append(
                SubmissionFinding(
                    .formIsField, part: place, status: 400, "the form has no filename"))
        } else if part.fileExtension != "xml" {
            findings.append(
                SubmissionFinding(
                    .formFilename, part: place, status: 422,
                    "the form's filename is \(part.filename ?? ""), which does not end in .xml"))
        }
        if part.mediaType != "text/xml", part.mediaType != "application/xml" {
            findings.append(
                SubmissionFinding(
                    .formType, part: place,
                    "the form's type is \(part.contentType ?? "missing"), and text/xml is specified"
                ))
        }
        return findings
    }

    private static func other(
        _ part: SubmissionPart, at place: Int, _ profile: Profile, _ limits: Limits
    ) -> [SubmissionFinding] {
        var findings: [SubmissionFinding] = []
        if part.name?.isEmpty ?? true {
            findings.append(SubmissionFinding(.partNameless, part: place, "a part has no name"))
        }
        guard let filename = part.filename else {
            let isMarker = part.name == SubmissionPart.incompleteName
            if profile == .commcare || !isMarker {
                findings.append(
                    SubmissionFinding(
                        .field, part: place, status: profile == .commcare ? 400 : nil,
                        "\(part.name ?? "a part") is a field and no file"))
            }
            return findings
        }
        if let name = part.name, !name.isEmpty, ExactText(name) != ExactText(filename) {
            findings.append(
                SubmissionFinding(
                    .attachmentNames, part: place, "part \(name) has the filename \(filename)"))
        }
        if profile == .commcare, !SubmissionFileType.isAccepted(part) {
            findings.append(
                SubmissionFinding(
                    .attachmentType, part: place, status: 422,
                    "\(filename) is \(part.contentType ?? "of no type"), which is not taken"))
        }
        if part.size > limits.attachment {
            findings.append(
                SubmissionFinding(
                    .attachmentTooLarge, part: place, status: 413,
                    "\(filename) has \(part.size) bytes, and the server accepts "
                        + "\(limits.attachment)")
            )
        }
        return findings
    }

    private func compareNames(references: [String]?) -> [SubmissionFinding] {
        var findings: [SubmissionFinding] = []
        var sent: Set<ExactText> = []
        let named = references.map { Set($0.map(ExactText.init)) }
        for (place, part) in parts.enumerated() where part.isFile && !part.isForm {
            guard let name = part.name, !name.isEmpty else { continue }
            if !sent.insert(ExactText(name)).inserted {
                findings.append(
                    SubmissionFinding(.attachmentRepeated, part: place, "\(name) is sent twice"))
            }
            let names = [name, part.filename ?? name].map(ExactText.init)
            if let named, named.isDisjoint(with: names) {
                findings.append(
                    SubmissionFinding(
                        .attachmentUnreferenced, part: place, "the form does not name \(name)"))
            }
            // An encrypted file has another filename, and counts under either.
            sent.formUnion(names)
        }
        var missing: Set<ExactText> = []
        for reference in references ?? [] where !sent.contains(ExactText(reference)) {
            guard missing.insert(ExactText(reference)).inserted else { continue }
            findings.append(
                SubmissionFinding(
                    .attachmentMissing, "the form names \(reference), which was not sent"))
        }
        return findings
    }
}
