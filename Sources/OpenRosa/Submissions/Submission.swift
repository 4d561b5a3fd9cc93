/// What a request to a receiver carries: a form with the files that belong to it.
///
/// Built from descriptions of the parts, so that no body need be kept.
/// Source: OpenRosa/Specification.md#submissions.
public struct Submission: Hashable, Sendable {
    /// How the form is sent.
    public enum Body: Hashable, Sendable {
        /// `multipart/form-data` with these parts, in order.
        case multipart([SubmissionPart])
        /// The form's XML alone.
        case plain(contentType: String?, size: Int64)
    }

    /// The rules for submissions; the specifications contradict each other.
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        /// CommCare HQ as server.
        case commcare
        /// A server that follows OpenRosa, as those of ODK Collect do.
        case openRosa = "openrosa"
    }

    /// Sizes that a server takes, in bytes.
    public struct Limits: Hashable, Sendable {
        /// Largest form.
        public var form: Int64
        /// Largest attachment.
        public var attachment: Int64
        /// Largest body, where the server has advertised one.
        public var body: Int64?

        /// The limits of CommCare HQ: 10 MiB a form, 15 MiB an attachment.
        public init(form: Int64 = 10 << 20, attachment: Int64 = 15 << 20, body: Int64? = nil) {
            self.form = form
            self.attachment = attachment
            self.body = body
        }
    }

    /// How the form is sent.
    public var body: Body

    /// A submission with this body.
    public init(_ body: Body) { self.body = body }

    /// The parts; none for a plain body.
    public var parts: [SubmissionPart] {
        guard case .multipart(let parts) = body else { return [] }
        return parts
    }

    /// The parts that hold a form; there should be one.
    public var forms: [SubmissionPart] { parts.filter(\.isForm) }

    /// The parts that are files and no forms.
    public var attachments: [SubmissionPart] { parts.filter { $0.isFile && !$0.isForm } }

    /// Whether ODK Collect announces that more requests with the same form follow.
    public var isIncomplete: Bool {
        parts.contains { $0.name == SubmissionPart.incompleteName && !$0.isFile }
    }

    /// Size of all content in bytes, without what is between the parts.
    public var contentSize: Int64 {
        switch body {
        case .multipart(let parts):
            parts.reduce(0) { sum, part in
                let (result, overflow) = sum.addingReportingOverflow(part.size)
                return overflow ? .max : result
            }
        case .plain(_, let size): size
        }
    }
}
