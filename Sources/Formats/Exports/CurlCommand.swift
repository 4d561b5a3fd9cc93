internal import Dissection
internal import Notation
public import Trace

/// The curl command that repeats a request.
///
/// What arrives is the method, target, header fields with their spelling and body that were
/// recorded, apart from what belongs to a connection (`Connection`, `Transfer-Encoding` and such),
/// `Content-Length`, which curl counts, and a body whose content coding was undone: that is sent
/// as it is, without the coding. curl puts `Host` first.
public struct CurlCommand: Hashable, Sendable {
    /// The command, quoted for a POSIX shell; a line, apart from line ends in bodies.
    public let bytes: [UInt8]

    /// The command as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Fields that curl makes itself, or that belong to the connection.
    private static let left = [
        "host", "content-length", "transfer-encoding", "connection", "proxy-connection", "expect",
        "upgrade", "keep-alive", "te", "trailer",
    ]
    /// Fields that curl adds unless their value, or none, is given.
    private static let added = ["user-agent": "User-Agent", "accept": "Accept"]
    /// The maximum size in bytes of a body that is an argument: Linux allows 128 KiB in one.
    private static let longestArgument = 65_536

    /// The command for an exchange.
    ///
    /// - Parameters:
    ///   - detail: The exchange.
    ///   - options: Words of shell between `curl` and the rest, such as `--silent "$@"`.
    /// - Throws: ``FileError`` where the request was not kept, or too much of it is missing.
    public init(_ detail: ExchangeDetail, options: String = "") throws(FileError) {
        let row = detail.row
        guard let body = detail.request else {
            throw FileError(
                .malformed, "exchange \(row.id) has no complete request to repeat")
        }
        guard body.size == Int64(body.content.count) else {
            throw FileError(
                .malformed,
                "the request of exchange \(row.id) is larger than what is kept decoded; "
                    + "tapedeck show --raw --side client has its bytes")
        }
        guard row.method != "CONNECT" else {
            throw FileError(
                .malformed,
                "exchange \(row.id) requested a tunnel from the proxy; curl does that "
                    + "itself")
        }
        var words: [[UInt8]] = [Array("curl".utf8)]
        if !options.isEmpty { words.append(Array(options.utf8)) }
        words.append(Array((row.version == "HTTP/1.0" ? "--http1.0" : "--http1.1").utf8))
        // Brackets in a URL are not a pattern, and dots in a path do not go up.
        words += [Array("--globoff".utf8), Array("--path-as-is".utf8)]
        let isSilent = Self.isSilent(body, row)
        if row.method == "HEAD" {
            words.append(Array("--head".utf8))
        } else if row.method != (body.content.isEmpty && !isSilent ? "GET" : "POST") {
            words += [Array("--request".utf8), ShellWord.shown(Array(row.method.utf8))]
        }
        words += Self.fields(of: body, row)
        var input: [UInt8] = []
        if isSilent {
            words += [Array("--data-raw".utf8), Array("''".utf8)]
        } else if !body.content.isEmpty {
            let isArgument =
                body.isText && !body.content.contains(0)
                && body.content.count <= Self.longestArgument && ShellWord.isShown(body.content)
            if isArgument {
                // Not --data-binary, to which a body that begins with @ is the name of a file.
                words += [Array("--data-raw".utf8), ShellWord.quoted(body.content)]
            } else {
                input = ShellWord.printing(body.content) + Array(" | ".utf8)
                words += [Array("--data-binary".utf8), Array("@-".utf8)]
            }
        }
        words += Self.url(row)
        bytes = input + Array(words.joined(separator: [0x20]))
    }

    /// Whether the length of an empty body was sent, as curl does only for an empty argument.
    private static func isSilent(_ body: BodyRow, _ row: ExchangeRow) -> Bool {
        body.content.isEmpty && row.method != "GET" && row.method != "HEAD"
            && body.head.split { $0 == 0x0A || $0 == 0x0D }.contains { line in
                String(decoding: line.prefix { $0 != 0x3A }, as: UTF8.self).lowercased()
                    == "content-length"
            }
    }

    private static func fields(of body: BodyRow, _ row: ExchangeRow) -> [[UInt8]] {
        var words: [[UInt8]] = []
        func add(_ line: some Sequence<UInt8>) {
            words += [Array("--header".utf8), ShellWord.shown(Array(line))]
        }
        var unseen = added
        var hasType = false
        var hasHost = false
        let lines = body.head.split { $0 == 0x0A || $0 == 0x0D }.dropFirst()
        for line in lines {
            let nameBytes = line.prefix { $0 != 0x3A }
            let name = String(decoding: nameBytes, as: UTF8.self).lowercased()
            let value = line.dropFirst(nameBytes.count + 1).drop { $0 == 0x20 || $0 == 0x09 }
            // What is not a name would be an option to curl, or the name of a file.
            guard !nameBytes.isEmpty, nameBytes.allSatisfy(isToken),
                nameBytes.count < line.count, !line.contains(0)
            else { continue }
            if name == "host", !hasHost {
                hasHost = true
                if !value.elementsEqual(authority(row).utf8) { add(line) }
                continue
            }
            let isDecoded = name == "content-encoding" && !body.coding.isEmpty
            guard !left.contains(name), !isDecoded else { continue }
            unseen[name] = nil
            if name == "content-type" { hasType = true }
            if value.isEmpty {
                // With a semicolon, or curl takes it for a field to leave out.
                add(nameBytes + [0x3B])
            } else {
                add(line)
            }
        }
        if !hasHost { add("Host:".utf8) }
        for name in unseen.values.sorted() { add("\(name):".utf8) }
        if !body.content.isEmpty || Self.isSilent(body, row) {
            if !hasType { add("Content-Type:".utf8) }
            // curl would wait for leave to send a long one.
            add("Expect:".utf8)
        }
        return words
    }

    /// The URL, and the target as it was sent where curl might change or refuse it.
    private static func url(_ row: ExchangeRow) -> [[UInt8]] {
        let target = row.path + (row.query.map { "?\($0)" } ?? "")
        let isPlain =
            target.utf8.first == 0x2F
            && target.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && byte != 0x23 && byte != 0x5C
            }
        let base = "\(row.scheme)://\(authority(row))"
        guard !isPlain else { return [ShellWord.shown(Array("\(base)\(target)".utf8))] }
        return [
            Array("--request-target".utf8), ShellWord.shown(target.utf8.filter { $0 != 0 }),
            ShellWord.shown(Array("\(base)/".utf8)),
        ]
    }

    private static func authority(_ row: ExchangeRow) -> String {
        let name = row.host.contains(":") ? "[\(row.host)]" : row.host
        return row.port == (row.scheme == "https" ? 443 : 80) ? name : "\(name):\(row.port)"
    }

    /// Whether a byte is valid in a field name (RFC 9110, 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
