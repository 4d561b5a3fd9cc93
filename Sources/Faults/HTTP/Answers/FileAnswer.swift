import Framing
import Notation
import OpenRosa

/// The answer with a file to a request, as a server of files gives it (RFC 9110, 13 and 14).
struct FileAnswer {
    /// The status.
    let status: Int
    /// The fields besides length and date.
    private(set) var fields: [(name: String, value: String)] = []
    /// The content; empty in an answer to HEAD and without content.
    private(set) var body: [UInt8] = []
    /// The length that is stated; nil where there is none.
    private(set) var length: Int?

    /// The answer to a request for `found`, of `type` or of what its name says.
    init(_ found: FileSource.Found?, type: String?, to request: HTTPHead) {
        guard request.method == "GET" || request.method == "HEAD" else {
            status = 405
            fields = [("Allow", "GET, HEAD")]
            length = 0
            return
        }
        guard let found else {
            status = 404
            length = 0
            return
        }
        let bytes = found.file.bytes
        let tag = Self.tag(found.file)
        let modified = HTTPDate(unixSeconds: found.file.modifiedUnixSeconds).text
        let validators = [("ETag", tag), ("Last-Modified", modified)]
        guard !Self.isKnown(tag, found.file.modifiedUnixSeconds, request) else {
            status = 304
            fields = validators
            return
        }
        fields =
            [("Content-Type", type ?? Self.type(of: found.name)), ("Accept-Ranges", "bytes")]
            + validators
        switch Self.range(request, of: bytes.count, tag) {
        case .all:
            status = 200
            body = bytes
        case .part(let range):
            status = 206
            let last = range.upperBound - 1
            fields.append(("Content-Range", "bytes \(range.lowerBound)-\(last)/\(bytes.count)"))
            body = Array(bytes[range])
        case .none:
            status = 416
            fields = [("Content-Range", "bytes */\(bytes.count)")]
        }
        length = body.count
        if request.method == "HEAD" { body = [] }
    }

    /// Bytes that are asked for.
    private enum Asked {
        case all
        case part(Range<Int>)
        case none
    }

    /// One range of bytes; several are answered with all of them, as a server may.
    private static func range(_ request: HTTPHead, of count: Int, _ tag: String) -> Asked {
        guard request.method == "GET", let text = request.value(of: "range"),
            text.hasPrefix("bytes="), !text.contains(","),
            request.value(of: "if-range").map({ $0 == tag }) ?? true
        else { return .all }
        let parts = text.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return .all }
        let (first, last) = (number(parts[0]), number(parts[1]))
        switch (parts[0].isEmpty, first, last) {
        case (true, _, let size?):
            guard size > 0, count > 0 else { return .none }
            return .part(max(0, count - size)..<count)
        case (false, let first?, let last):
            guard parts[1].isEmpty || last.map({ $0 >= first }) == true else { return .all }
            guard first < count else { return .none }
            return .part(first..<min(count, (last ?? count - 1) + 1))
        default: return .all
        }
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), number < .max
        else { return nil }
        return number
    }

    /// Whether the client says that it has the file.
    private static func isKnown(
        _ tag: String, _ modified: Int64, _ request: HTTPHead
    ) -> Bool {
        let tags = request.values(of: "if-none-match")
        guard tags.isEmpty else {
            return tags.joined(separator: ",").split(separator: ",").contains {
                let own = $0.drop { $0 == " " }
                return own == "*" || own == tag || own == "W/\(tag)"
            }
        }
        guard let text = request.value(of: "if-modified-since"),
            let since = HTTPDate.parse(text)
        else { return false }
        return modified <= since.unixSeconds
    }

    /// An entity tag of the content: another one whenever that differs.
    private static func tag(_ file: FileSource.File) -> String {
        "\"\(String(FNV1a.hash(file.bytes), radix: 16))-\(file.bytes.count)\""
    }

    /// The type that the ending of a name stands for.
    private static func type(of name: String) -> String {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return types[ending] ?? SubmissionFileType.contentType(filename: name)
            ?? "application/octet-stream"
    }

    /// Types of what servers of pages and data have, besides those of files of forms.
    private static let types = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "mjs": "text/javascript; charset=utf-8", "json": "application/json",
        "xml": "text/xml; charset=utf-8", "txt": "text/plain; charset=utf-8",
        "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8",
        "svg": "image/svg+xml", "gif": "image/gif", "webp": "image/webp", "ico": "image/x-icon",
        "woff2": "font/woff2", "wasm": "application/wasm", "zip": "application/zip",
        "ccz": "application/zip",
    ]
}
