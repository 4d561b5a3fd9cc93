/// Types of the files that go with forms.
///
/// Source: OpenRosa/Specification.md#submissions (`FormUploadUtil` of CommCare Android,
/// `getters.py` of CommCare HQ).
public enum SubmissionFileType {
    /// The type that CommCare Android sends a file with: four by extension, others by a table of the
    /// system, else `application/octet-stream`.
    ///
    /// - Returns: Nil where the file is not sent, as its extension is unknown.
    public static func contentType(filename: String) -> String? {
        guard let dot = filename.lastIndex(of: ".") else { return nil }
        return byExtension[filename[filename.index(after: dot)...].lowercased()]
    }

    /// Whether CommCare HQ takes an attachment: by its extension, or by its type.
    static func isAccepted(_ part: SubmissionPart) -> Bool {
        if let ending = part.fileExtension, byExtension[ending] != nil { return true }
        guard let type = part.mediaType else { return false }
        return ["audio/", "image/", "video/"].contains { type.hasPrefix($0) }
            || type == "application/octet-stream" || type == "application/pdf"
    }

    private static let byExtension: [String: String] = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "3gpp": "audio/3gpp",
        "3gp": "video/3gpp", "3ga": "audio/3gpp", "3g2": "video/3gpp2", "3gp2": "video/3gpp2",
        "mp3": "audio/mpeg", "wav": "audio/x-wav", "amr": "audio/amr", "mp4": "video/mp4",
        "mpg4": "video/mp4", "mpeg4": "video/mp4", "m4v": "video/mp4", "mpg": "video/mpeg",
        "mpeg": "video/mpeg", "qcp": "audio/qcelp", "ogg": "audio/ogg", "pdf": "application/pdf",
        "html": "text/html", "rtf": "text/rtf", "txt": "text/plain",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "msg": "application/vnd.ms-outlook",
    ]
}
