/// One part of a submission: its names and its size, not its content.
public struct SubmissionPart: Hashable, Sendable {
    /// `name` of the content disposition.
    public var name: String?
    /// `filename` of the content disposition; a part without is a form field, no file.
    public var filename: String?
    /// `Content-Type`, as sent.
    public var contentType: String?
    /// Size of the content in bytes.
    public var size: Int64

    /// A part with these values.
    public init(name: String?, filename: String? = nil, contentType: String? = nil, size: Int64) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.size = size
    }

    /// The name of the part that holds the form.
    public static let formName = "xml_submission_file"
    /// The name of the field with which ODK Collect marks all but the last of several requests.
    public static let incompleteName = "*isIncomplete*"

    /// Whether it holds the form.
    public var isForm: Bool { name == Self.formName }
    /// Whether it is a file.
    public var isFile: Bool { filename != nil }

    /// The media type without parameters, in lower case.
    var mediaType: String? {
        contentType?.prefix { $0 != ";" }.lowercased().split(separator: " ").first.map(String.init)
    }

    /// The filename's end after its last dot, in lower case.
    var fileExtension: String? {
        guard let filename, let dot = filename.lastIndex(of: ".") else { return nil }
        return filename[filename.index(after: dot)...].lowercased()
    }
}
