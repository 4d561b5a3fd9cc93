internal import OpenRosa
internal import Platform

/// Writes the body of a submission to a file, which is sent as it is as often as need be.
///
/// Attachments are copied piece by piece, so that their size is no matter of memory.
struct SubmissionFile {
    /// A part after the form.
    struct Part {
        /// Where its content comes from.
        enum Content {
            case bytes([UInt8])
            case file(path: String)
        }

        var name: String
        var content: Content
    }

    let path: String
    let encoder: SubmissionEncoder
    private let descriptor: Int32

    /// Creates the file.
    private init(path: String) throws(CommCareClientError) {
        // 128 random bits, chosen after the parts were written: they are in none of them.
        let random = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }
        do { encoder = try SubmissionEncoder(boundary: "tapedeck-\(random.joined())") } catch {
            throw .badForm("the boundary is invalid: \(error)")
        }
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.unwritable(path) }
    }

    /// Writes a form with its files, and has them on disk at the end.
    ///
    /// - Returns: The boundary between the parts.
    /// - Throws: ``CommCareClientError``; the file is deleted then.
    static func write(
        _ form: [UInt8], named filename: String, with parts: [Part], to path: String
    ) throws(CommCareClientError) -> String {
        let file = try SubmissionFile(path: path)
        do {
            defer { close(file.descriptor) }
            try file.append(
                file.encoder.head(
                    name: SubmissionPart.formName, filename: filename, contentType: "text/xml",
                    length: Int64(form.count)))
            try file.append(form)
            for part in parts { try file.append(part) }
            try file.append(Array("\r\n".utf8))
            try file.append(file.encoder.end)
            guard fsync(file.descriptor) == 0 else { throw unwritable(path) }
        } catch let error as CommCareClientError {
            unlink(path)
            throw error
        } catch {
            unlink(path)
            throw .storage("\(error)")
        }
        return file.encoder.boundary
    }

    private func append(_ part: Part) throws(CommCareClientError) {
        let type =
            SubmissionFileType.contentType(filename: part.name) ?? "application/octet-stream"
        func head(_ length: Int64) -> [UInt8] {
            Array("\r\n".utf8)
                + encoder.head(
                    name: part.name, filename: part.name, contentType: type, length: length)
        }
        switch part.content {
        case .bytes(let bytes):
            try append(head(Int64(bytes.count)))
            try append(bytes)
        case .file(let path):
            guard let size = LocalFile.size(path) else { throw Self.unreadable(path) }
            try append(head(size))
            var copied: Int64 = 0
            var failure: CommCareClientError?
            let isRead = LocalFile.read(path) { piece in
                do throws(CommCareClientError) {
                    try append(piece)
                    copied += Int64(piece.count)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            guard isRead else { throw Self.unreadable(path) }
            guard copied == size else {
                throw .badForm("\(path) changed while it was read; submit again")
            }
        }
    }

    private func append(_ bytes: [UInt8]) throws(CommCareClientError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Platform.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Self.unwritable(path)
            }
        }
    }

    private static func unwritable(_ path: String) -> CommCareClientError {
        let reason = String(cString: strerror(errno))
        return .storage(
            "\(path) cannot be written: \(reason); make room, then try again: nothing was sent")
    }

    private static func unreadable(_ path: String) -> CommCareClientError {
        .badForm("\(path) cannot be read: \(String(cString: strerror(errno))); check the name")
    }
}
