public import OpenRosa

/// A form to be submitted, with the files that go with it.
public struct CommCareForm: Sendable {
    /// A file that goes with a form.
    public struct Attachment: Hashable, Sendable {
        /// Its name, as the form has it.
        public var name: String
        /// Where it is.
        public var path: String

        /// A file.
        public init(name: String, path: String) {
            self.name = name
            self.path = path
        }
    }

    /// `instanceID`.
    public var instanceID: String
    /// The form, verbatim.
    public var xml: [UInt8]
    /// Its file name.
    public var filename: String
    /// The user who filled it in, where it is stated.
    public var userID: String?
    /// Whether it makes or changes cases.
    public var changesCases = false
    /// What goes with it, in order.
    public var attachments: [Attachment]
    /// What a server or a specification does not accept of it.
    public var findings: [SubmissionFinding] = []

    /// Reads a form.
    ///
    /// - Throws: ``CommCareClientError/badForm(_:)``: it is not a form, or has no namespace or no
    ///   instanceID, without which a server would keep it twice.
    public init(
        xml: [UInt8], filename: String, attachments: [Attachment] = []
    ) throws(CommCareClientError) {
        let (events, error) = CommCareReader.read(xml, purpose: .submission)
        if let error { throw .badForm("\(filename) is not a form: \(error)") }
        var instanceID: String?
        var hasNamespace = true
        var references: [String] = []
        var userID: String?
        var changesCases = false
        for event in events {
            switch event {
            case .form(let form): hasNamespace = form.namespace?.isEmpty == false
            case .meta(let meta):
                instanceID = instanceID ?? meta.instanceID
                userID = userID ?? meta.userID
            case .caseBlock: changesCases = true
            case .file(let file): references.append(file.file)
            default: continue
            }
        }
        guard let instanceID, !instanceID.isEmpty else {
            throw .badForm("\(filename) has no instanceID in its meta block; give it one")
        }
        guard hasNamespace else {
            throw .badForm("\(filename) has no xmlns at its root; servers refuse it without")
        }
        self.instanceID = instanceID
        self.xml = xml
        self.filename = filename
        self.userID = userID
        self.changesCases = changesCases
        self.attachments = attachments
        var parts = [
            SubmissionPart(
                name: SubmissionPart.formName, filename: filename, contentType: "text/xml",
                size: Int64(xml.count))
        ]
        for file in attachments {
            if file.name == SubmissionPart.formName {
                throw .badForm("\(file.name) is the name of the form's part; rename the file")
            }
            guard let size = LocalFile.size(file.path) else {
                throw .badForm("\(file.path) cannot be read; check the name")
            }
            let type = SubmissionFileType.contentType(filename: file.name)
            parts.append(
                SubmissionPart(
                    name: file.name, filename: file.name,
                    contentType: type ?? "application/octet-stream", size: size))
        }
        findings = Submission(.multipart(parts)).findings(references: references)
    }

    /// Refuses a form that may not be submitted without signing in.
    ///
    /// Source: Diagnosis/Catalogue.md#c77: CommCare HQ answers 403.
    public func requireDemonstration() throws(CommCareClientError) {
        guard changesCases, let userID, userID != "demo_user" else { return }
        throw .badForm(
            "\(filename) changes cases as \(userID), and only demo_user may do so without signing "
                + "in")
    }
}
