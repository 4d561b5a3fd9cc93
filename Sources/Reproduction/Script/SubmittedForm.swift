internal import Notation
internal import OpenRosa
internal import Replaying

/// A form that a device submitted, with the files that belong to it.
struct SubmittedForm {
    /// A file.
    struct Attachment {
        /// Its name, without folders.
        var name: String
        /// What is in it.
        var content: [UInt8]
    }

    /// The form's XML.
    var form: [UInt8]
    /// The `instanceID` of the form.
    var instance: String
    /// When the person finished it, in nanoseconds since 1970; nil where it does not say.
    var finishedAt: Int64?
    /// The files, in order, with placeholders for those that the form names and the client did not
    /// send.
    var attachments: [Attachment] = []

    /// The `instanceID` in a form's XML; nil where it has none.
    static func instance(of form: [UInt8]) -> String? {
        var found: String?
        let reader = CommCareReader(purpose: .submission) { event in
            if case .meta(let meta) = event { found = found ?? meta.instanceID }
        }
        do {
            try reader.feed(form.span)
            try reader.finish()
        } catch { return nil }
        return found
    }

    /// Reads a request; nil where it has no form, or one without `instanceID`.
    init?(_ message: ReplayMessage) {
        var form = message.body
        if let parts = message.parts {
            guard let part = parts.first(where: { $0.name == SubmissionPart.formName }) else {
                return nil
            }
            form = part.content
            attachments = parts.compactMap { part in
                guard part.name != SubmissionPart.formName, let path = part.filename,
                    let name = path.split(whereSeparator: { "/\\".contains($0) }).last
                else { return nil }
                return Attachment(name: String(name), content: part.content)
            }
        }
        var found: String?
        var finished: String?
        var named: [String] = []
        let reader = CommCareReader(purpose: .submission) { event in
            switch event {
            case .meta(let meta):
                found = found ?? meta.instanceID
                finished = finished ?? meta.timeEnd
            case .file(let reference): named.append(reference.file)
            default: break
            }
        }
        do {
            try reader.feed(form.span)
            try reader.finish()
        } catch { return nil }
        guard let found, !found.isEmpty else { return nil }
        instance = found
        finishedAt = finished.flatMap { Timestamp($0)?.unixNanoseconds }
        self.form = form
        // What the client did not send has to be there for one that does.
        for name in named where !attachments.contains(where: { $0.name == name }) {
            guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { continue }
            attachments.append(Attachment(name: name, content: Array("placeholder".utf8)))
        }
    }
}
