extension ReplayMessage {
    /// A part of a multipart body.
    package struct Part: Hashable, Sendable {
        /// `name` of its content disposition.
        package var name: String?
        /// `filename` of its content disposition; nil for a field.
        package var filename: String?
        /// What is in it.
        package var content: [UInt8]
    }

    /// The parts of the body, in order; nil where it is no multipart body, or an incomplete one.
    package var parts: [Part]? {
        guard let type = value("content-type"), HeaderText.mediaType(type).hasPrefix("multipart/"),
            let boundary = HeaderText.parameter("boundary", of: type),
            let multipart = MultipartBody(body, boundary: boundary)
        else { return nil }
        return multipart.parts.map { part in
            let disposition = part.value("content-disposition") ?? ""
            return Part(
                name: HeaderText.parameter("name", of: disposition),
                filename: HeaderText.parameter("filename", of: disposition),
                content: Array(body[part.content]))
        }
    }
}
