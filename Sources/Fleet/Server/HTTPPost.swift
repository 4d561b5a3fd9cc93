internal import CCurl
internal import CurlShim

/// Posts bodies over HTTP by libcurl, on a connection that is kept between them.
///
/// For one thread at a time, which it blocks: at most ten seconds for a connection, and a minute without a byte.
/// Proxy variables of the environment are not followed.
final class HTTPPost {
    /// What is kept of an answer beyond the limit.
    enum Beyond {
        /// The post ends with CURLE_WRITE_ERROR.
        case isRefused
        /// Nothing; the answer is read to its end.
        case isLost
    }

    /// The answer to the last post.
    private(set) var answer: [UInt8] = []
    private let handle: UnsafeMutableRawPointer
    private let limit: Int
    private let beyond: Beyond

    /// A client that has sent nothing yet.
    ///
    /// - Parameters:
    ///   - limit: Bytes of an answer that are kept.
    ///   - beyond: What becomes of an answer that is longer.
    /// - Throws: ``FleetError`` with code `server`.
    init(limit: Int, beyond: Beyond) throws(FleetError) {
        guard shim_global_init() == CURLE_OK, let handle = curl_easy_init() else {
            throw FleetError(.server, "libcurl does not start")
        }
        self.handle = handle
        self.limit = limit
        self.beyond = beyond
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_USERAGENT, "tapedeck")
        set(CURLOPT_CONNECTTIMEOUT, 10)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, 60)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_POST, 1)
    }

    deinit { curl_easy_cleanup(handle) }

    /// Sets an option of all posts to come.
    func set(_ option: CURLoption, _ value: Int) {
        _ = shim_easy_setopt_long(handle, option, value)
    }

    /// Sets an option of all posts to come.
    func set(_ option: CURLoption, _ value: String) {
        _ = shim_easy_setopt_string(handle, option, value)
    }

    /// Posts `body` to `url` and waits for the answer.
    ///
    /// - Parameters:
    ///   - body: What is sent.
    ///   - url: Where to.
    ///   - fields: Lines of the head, without their ends.
    /// - Returns: libcurl's result, and the status, 0 without an answer.
    func send(
        _ body: [UInt8], to url: String, fields: [String]
    ) -> (result: CURLcode, status: Int) {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for field in fields + ["Expect:"] { list = curl_slist_append(list, field) }
        set(CURLOPT_URL, url)
        _ = shim_easy_setopt_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        _ = shim_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, list)
        answer = []
        _ = shim_easy_setopt_bytes_callback(handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let post = Unmanaged<HTTPPost>.fromOpaque(context).takeUnretainedValue()
            return post.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
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
        // The pointers to the body and to the fields are not valid any longer.
        _ = shim_easy_setopt_pointer(handle, CURLOPT_POSTFIELDS, nil)
        _ = shim_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, nil)
        var status = 0
        _ = shim_easy_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return (result, status)
    }

    /// Keeps a part of the answer; a result other than its length ends the post.
    private func take(_ part: UnsafeRawBufferPointer) -> Int {
        let room = limit - answer.count
        if part.count > room, beyond == .isRefused { return 0 }
        answer += part.prefix(room)
        return part.count
    }
}
