/// Something about a submission that a server or a specification does not accept.
public struct SubmissionFinding: Hashable, Sendable {
    /// What it is.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// No part is named `xml_submission_file`.
        case formMissing = "form-missing"
        /// More than one part has that name.
        case formRepeated = "form-repeated"
        /// The form has no bytes.
        case formEmpty = "form-empty"
        /// The form is a field, not a file.
        case formIsField = "form-is-field"
        /// The form's type is neither `text/xml` nor `application/xml`.
        case formType = "form-type"
        /// The form's filename does not end in `.xml`.
        case formFilename = "form-filename"
        /// The form is not the first part.
        case formNotFirst = "form-not-first"
        /// The form is too large.
        case formTooLarge = "form-too-large"
        /// A part has no name.
        case partNameless = "part-nameless"
        /// Two files have the same name.
        case attachmentRepeated = "attachment-repeated"
        /// A part's name is not its filename.
        case attachmentNames = "attachment-names"
        /// Neither extension nor type is one that CommCare HQ takes.
        case attachmentType = "attachment-type"
        /// A file is too large.
        case attachmentTooLarge = "attachment-too-large"
        /// The form names a file that was not sent.
        case attachmentMissing = "attachment-missing"
        /// A file was sent that the form does not name.
        case attachmentUnreferenced = "attachment-unreferenced"
        /// A field that is not a file.
        case field
        /// All of it is larger than what the server has advertised.
        case bodyTooLarge = "body-too-large"
    }

    /// What it is.
    public var code: Code
    /// Place of the part among the parts, from 0; nil where it is about none.
    public var part: Int?
    /// The status that CommCare HQ answers it with; nil where it accepts the submission.
    public var status: Int?
    /// The same as text, with the values concerned.
    public var detail: String

    /// A finding with these values.
    public init(_ code: Code, part: Int? = nil, status: Int? = nil, _ detail: String) {
        self.code = code
        self.part = part
        self.status = status
        self.detail = detail
    }
}
