import Dissection
import Framing
import Trace
import Wire

/// The curl command that repeats a request.
struct CurlCommand {
    /// The command, quoted for a POSIX shell, on one line.
    let text: String

    /// Fields that curl makes itself, or that belong to the connection.
    private static let left = [
        "host", "content-length", "transfer-encoding", "connection", "proxy-connection", "expect",
        "upgrade", "keep-alive",
    ]

    /// The command for an exchange.
    ///
    /// - Throws: ``Failure`` where the request was not kept, or too much of it is missing.
    init(_ detail: ExchangeDetail) throws(Failure) {
        guard let body = detail.request else {
            throw Failure(.data, "exchange \(detail.row.id) has no complete request to repeat")
        }
        guard body.size == Int64(body.content.count) else {
            throw Failure(
                .data,
                "the request of exchange \(detail.row.id) is larger than what is kept decoded; use --raw --side client"
            )
        }
        var words = ["curl"]
        if detail.row.method == "HEAD" {
            words.append("--head")
        } else if detail.row.method != (body.content.isEmpty ? "GET" : "POST") {
            words += ["--request", ShellWord.quoted(detail.row.method)]
        }
        for field in String(decoding: body.head, as: UTF8.self)
            .split(whereSeparator: \.isNewline).dropFirst()
        {
            let name = field.prefix { $0 != ":" }.lowercased()
            let isDecoded = name == "content-encoding" && !body.coding.isEmpty
            guard !Self.left.contains(name), !isDecoded else { continue }
            words += ["--header", ShellWord.quoted(String(field))]
        }
        var prefix = ""
        if !body.content.isEmpty {
            let needsBytes = !body.isText || body.content.contains(0)
            if needsBytes { prefix = "printf '\(Self.octal(body.content))' | " }
            words += [
                "--data-binary",
                needsBytes ? "@-" : ShellWord.quoted(String(decoding: body.content, as: UTF8.self)),
            ]
            if body.contentType == nil { words += ["--header", "'Content-Type:'"] }
        }
        words.append(ShellWord.quoted(ListLine.url(detail.row)))
        text = prefix + words.joined(separator: " ")
    }

    /// `bytes` as printf takes them.
    private static func octal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
}
