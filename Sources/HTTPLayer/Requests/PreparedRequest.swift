internal import Notation
internal import Wire

/// A request as it is sent: checked, with its url, its header fields and its body settled.
struct PreparedRequest: Sendable {
    /// Where the bytes of a body come from.
    enum Body: Hashable, Sendable {
        case none
        case bytes([UInt8])
        case file(path: String)
    }

    let request: Request
    let url: String
    let headers: [(name: String, value: String)]
    let body: Body
    /// Whether the file is compressed while it is sent; bytes are already.
    let compressesFile: Bool
    /// Whether the headers request chunks.
    let isChunked: Bool
    /// Whether the caller handles content codings itself.
    let hasAcceptEncoding: Bool

    init(_ request: Request, userAgent: String) throws(HTTPError) {
        self.request = request
        if let method = request.method, !FieldName.isToken(method) {
            throw .badHeader(name: method)
        }
        let isGet = request.requestType == .get
        url = try TargetURL.make(request.url, query: isGet ? request.payload : nil)
        var fields = try Self.fields(request.headers, isExact: request.isExact)
        func has(_ name: String) -> Bool {
            fields.contains { FieldName.isSame($0.name, name) }
        }

        var body: Body = .none
        if !isGet {
            switch request.requestBody {
            case .bytes(let bytes): body = bytes.isEmpty ? .none : .bytes(bytes)
            case .file(let path): body = .file(path: path)
            case nil:
                if let payload = request.payload {
                    let sorted = payload.sorted {
                        $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
                    }
                    let members = sorted.map { JSONObject.Member($0.key, $0.value) }
                    body = .bytes(JSONValue.object(JSONObject(members)).bytes())
                    if !has("Content-Type") {
                        fields.append(("Content-Type", "application/json"))
                    }
                }
            }
        }
        var compressesFile = false
        if request.compression, !has("Content-Encoding") {
            switch body {
            case .none: break
            case .bytes(let bytes):
                body = .bytes(Deflater.gzip(bytes))
                fields.append(("Content-Encoding", "gzip"))
            case .file(let path):
                compressesFile = FileSource.size(of: path) != 0
                if compressesFile { fields.append(("Content-Encoding", "gzip")) }
            }
        }
        if !request.isExact, !has("User-Agent") { fields.append(("User-Agent", userAgent)) }
        hasAcceptEncoding = request.isExact || has("Accept-Encoding")
        isChunked = has("Transfer-Encoding")
        headers = fields.filter { !FieldName.isSame($0.name, "Transfer-Encoding") }
        self.body = body
        self.compressesFile = compressesFile
    }

    /// The fields to send: one for each name, the last one given; all where they are exact.
    private static func fields(
        _ given: [(name: String, value: String)], isExact: Bool
    ) throws(HTTPError) -> [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        for field in given {
            guard FieldName.isToken(field.name), FieldName.isValue(field.value) else {
                throw .badHeader(name: field.name)
            }
            if FieldName.isSame(field.name, "Content-Length") { continue }
            if FieldName.isSame(field.name, "Transfer-Encoding"),
                !FieldName.isSame(field.value, "chunked")
            {
                throw .badHeader(name: field.name)
            }
            if !isExact,
                let place = result.firstIndex(where: { FieldName.isSame($0.name, field.name) })
            {
                result[place] = field
            } else {
                result.append(field)
            }
        }
        return result
    }
}
