internal import CCurl
internal import CurlShim
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
    private let handle: UnsafeMutableRawPointer
    private var received: [UInt8] = []

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
        guard shim_global_init() == CURLE_OK, let handle = curl_easy_init() else {
            throw FleetError(.server, "libcurl does not start")
        }
        self.handle = handle
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

    deinit { curl_easy_cleanup(handle) }

    /// Sends a body.
    ///
    /// - Returns: How many of its items the collector refused.
    func send(_ body: JSONValue, to signal: Signal) throws(FleetError) -> Int64 {
        let url = "\(base)/v1/\(signal.rawValue)"
        let status = try post(body.bytes(), to: url)
        let answer = String(decoding: received, as: UTF8.self)
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

    private func set(_ option: CURLoption, _ value: Int) {
        _ = shim_easy_setopt_long(handle, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        _ = shim_easy_setopt_string(handle, option, value)
    }

    private func post(_ body: [UInt8], to url: String) throws(FleetError) -> Int {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for field in ["Content-Type: application/json", "Expect:"] + fields {
            list = curl_slist_append(list, field)
        }
        set(CURLOPT_URL, url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_USERAGENT, "tapedeck")
        set(CURLOPT_CONNECTTIMEOUT, 10)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, 60)
        set(CURLOPT_POST, 1)
        _ = shim_easy_setopt_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        _ = shim_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, list)
        received = []
        _ = shim_easy_setopt_bytes_callback(handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let collector = Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
            let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
            collector.received += part.prefix(Collector.maxAnswer - collector.received.count)
            return part.count
        }
        _ = shim_easy_setopt_pointer(
            handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
        let result = withExtendedLifetime(self) {
            body.withUnsafeBytes { buffer in
                _ = shim_easy_setopt_pointer(
                    handle, CURLOPT_POSTFIELDS,
                    UnsafeMutableRawPointer(mutating: buffer.baseAddress))
                return curl_easy_perform(handle)
            }
        }
        // The pointer to the body is not valid any longer.
        _ = shim_easy_setopt_pointer(handle, CURLOPT_POSTFIELDS, nil)
        guard result == CURLE_OK else {
            throw FleetError(
                .unreachable,
                "no answer from \(url): \(String(cString: curl_easy_strerror(result)))")
        }
        var status = 0
        _ = shim_easy_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }
}
