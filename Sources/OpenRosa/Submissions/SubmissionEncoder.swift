/// Writes the body of a submission as CommCare Android does.
///
/// Source: OpenRosa/Specification.md#submissions; the parts are written as OkHttp writes them:
/// disposition, type and, where it is known, length.
public struct SubmissionEncoder: Hashable, Sendable {
    /// A file that goes with a form.
    public struct File: Hashable, Sendable {
        /// Its name, as the form has it.
        public var name: String
        /// Its name on the device; that of an encrypted file has `.aes` at its end.
        public var filename: String
        /// Its type.
        public var contentType: String
        /// Its content.
        public var content: [UInt8]
        /// Whether its part has its length; encrypted files are written without.
        public var hasLength: Bool

        /// A file with these values.
        public init(
            name: String, filename: String? = nil, contentType: String? = nil, content: [UInt8],
            hasLength: Bool = true
        ) {
            self.name = name
            self.filename = filename ?? name
            self.contentType =
                contentType ?? SubmissionFileType.contentType(filename: name)
                ?? "application/octet-stream"
            self.content = content
            self.hasLength = hasLength
        }
    }

    /// The delimiter of the parts, 1 to 70 letters, digits, `-` and `_`; never in a part.
    public let boundary: String

    /// Why a body cannot be written.
    public enum Problem: Error, Hashable, Sendable {
        /// The boundary is empty, too long, or has other letters.
        case invalidBoundary
        /// The boundary occurs in the part at `index`, the form being 0.
        case boundaryInContent(index: Int)
    }

    /// An encoder with this boundary, which is an input: tests and replays need the same again.
    public init(boundary: String) throws(Problem) {
        let isFine = boundary.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
            default: false
            }
        }
        guard isFine, (1...70).contains(boundary.utf8.count) else { throw .invalidBoundary }
        self.boundary = boundary
    }

    /// Value of the request's `Content-Type`.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Writes a form and its files.
    ///
    /// - Parameters:
    ///   - form: The form's XML.
    ///   - filename: The form's name on the device.
    ///   - files: What goes with it, in order.
    ///   - isIncomplete: Whether ODK Collect's mark is added, with which more requests follow.
    /// - Returns: The body.
    /// - Throws: ``Problem/boundaryInContent(index:)``.
    public func encode(
        form: [UInt8], filename: String = "form.xml", files: [File] = [],
        isIncomplete: Bool = false
    ) throws(Problem) -> [UInt8] {
        let all =
            [
                File(
                    name: SubmissionPart.formName, filename: filename, contentType: "text/xml",
                    content: form)
            ] + files
        var body: [UInt8] = []
        body.reserveCapacity(all.reduce(256) { $0 + $1.content.count + 256 })
        let delimiter = Array("--\(boundary)".utf8)
        for (index, file) in all.enumerated() {
            guard !Self.contains(file.content, delimiter) else {
                throw .boundaryInContent(index: index)
            }
            body.append(
                contentsOf: head(
                    name: file.name, filename: file.filename, contentType: file.contentType,
                    length: file.hasLength ? Int64(file.content.count) : nil))
            body.append(contentsOf: file.content)
            body.append(contentsOf: "\r\n".utf8)
        }
        if isIncomplete {
            let field =
                "--\(boundary)\r\nContent-Disposition: form-data; "
                + "name=\"\(SubmissionPart.incompleteName)\"\r\nContent-Length: 3\r\n\r\nyes\r\n"
            body.append(contentsOf: field.utf8)
        }
        body.append(contentsOf: end)
        return body
    }

    /// The head of a part; a line end follows the content.
    ///
    /// For callers that write a body in pieces, and ensure that the boundary is in no part.
    public func head(
        name: String, filename: String, contentType: String, length: Int64?
    ) -> [UInt8] {
        let length = length.map { "Content-Length: \($0)\r\n" } ?? ""
        return Array(
            ("--\(boundary)\r\nContent-Disposition: form-data; name=\(Self.quoted(name)); "
                + "filename=\(Self.quoted(filename))\r\n"
                + "Content-Type: \(Self.oneLine(contentType))\r\n\(length)\r\n").utf8)
    }

    /// The end of the body, after the last part and its line end.
    public var end: [UInt8] { Array("--\(boundary)--\r\n".utf8) }

    /// The description of what ``encode(form:filename:files:isIncomplete:)`` writes.
    public static func submission(
        form: [UInt8], filename: String = "form.xml", files: [File] = [],
        isIncomplete: Bool = false
    ) -> Submission {
        var parts = [
            SubmissionPart(
                name: SubmissionPart.formName, filename: filename, contentType: "text/xml",
                size: Int64(form.count))
        ]
        parts += files.map {
            SubmissionPart(
                name: $0.name, filename: $0.filename, contentType: $0.contentType,
                size: Int64($0.content.count))
        }
        if isIncomplete {
            parts.append(SubmissionPart(name: SubmissionPart.incompleteName, size: 3))
        }
        return Submission(.multipart(parts))
    }

    /// A parameter as OkHttp quotes it: line ends and quotes are percent-escaped, nothing else.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "%22"
            case "\n": result += "%0A"
            case "\r": result += "%0D"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }))
    }

    private static func contains(_ content: [UInt8], _ pattern: [UInt8]) -> Bool {
        guard content.count >= pattern.count else { return false }
        var place = 0
        let last = content.count - pattern.count
        while place <= last {
            if content[place] == 0x2D, content[place..<place + pattern.count].elementsEqual(pattern)
            {
                return true
            }
            place += 1
        }
        return false
    }
}
