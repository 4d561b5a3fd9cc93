internal import CCurl
internal import Notation

/// A collector of OpenTelemetry over OTLP/HTTP in JSON.
///
/// Source: OpenTelemetry Protocol 1, "OTLP/HTTP". For one thread at a time, which it blocks: at most ten
/// seconds for a connection, and a minute without a byte.
final class Collector {
    /// What is sent.
    enum Signal: String {
        case traces, logs
    }

    private let base: String
    private let fields: [String]
    private let post: HTTPPost

    /// Bytes of an answer that are kept.
    private static let maxAnswer = 1 << 16

    init(_ url: String, headers: String) throws(FleetError) {
        guard
            let scheme = ["http://", "https://"].first(where: { url.lowercased().hasPrefix($0) }),
            url.utf8.count > scheme.utf8.count, !url.contains("?"), !url.contains("#"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw FleetError(
                .usage,
                "\(url) is no address of a collector: write http://HOST:4318, the paths of OTLP follow"
            )
        }
        post = try HTTPPost(limit: Self.maxAnswer, beyond: .isLost)
        base = url.hasSuffix("/") ? String(url.dropLast()) : url
        fields = headers.split(separator: ",").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let name = parts[0].filter { $0 != " " }
            let value = String(decoding: PercentEncoding.decode(parts[1].utf8), as: UTF8.self)
            guard !(name + value).utf8.contains(where: { $0 < 0x20 }) else { return nil }
            return "\(name): \(value)"
        }
    }

    /// Sends a body.
    ///
    /// - Returns: How many of its items the collector refused.
    func send(_ body: JSONValue, to signal: Signal) throws(FleetError) -> Int64 {
        let url = "\(base)/v1/\(signal.rawValue)"
        let (result, status) = post.send(
            [.array(body.bytes())], to: url, fields: ["Content-Type: application/json"] + fields)
        guard result == CURLE_OK else {
            throw FleetError(
                .unreachable,
                "no answer from \(url): \(String(cString: curl_easy_strerror(result)))")
        }
        let answer = String(decoding: post.answer, as: UTF8.self)
        guard (200..<300).contains(status) else {
            let line = answer.split(whereSeparator: \.isNewline).first.map { ": \($0.prefix(200))" }
            let mayPass = [429, 502, 503, 504].contains(status)
            throw FleetError(
                mayPass ? .busy : .refused, "\(url) answers with status \(status)\(line ?? "")")
        }
        let partial = (try? JSONValue(parsing: answer))?["partialSuccess"]
        let refused = partial?[signal == .traces ? "rejectedSpans" : "rejectedLogRecords"]
        // A 64-bit number is a text in JSON of Protocol Buffers, and a number is taken as well.
        return switch refused {
        case .string(let text), .number(let text): Int64(text) ?? 0
        default: 0
        }
    }
}
