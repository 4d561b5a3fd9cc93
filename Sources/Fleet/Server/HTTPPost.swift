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

    /// A part of a body.
    enum Part {
        /// These bytes.
        case array([UInt8])
        /// Bytes of somebody who keeps them until the post is over.
        case borrowed(UnsafeRawBufferPointer)

        fileprivate var count: Int {
            switch self {
            case .array(let bytes): bytes.count
            case .borrowed(let bytes): bytes.count
            }
        }

        /// Copies what is behind `offset` as far as there is room, and says how much that is.
        fileprivate func copy(from offset: Int, to room: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(count - offset, room.count)
            switch self {
            case .array(let bytes):
                bytes.withUnsafeBytes {
                    room.copyMemory(from: .init(rebasing: $0[offset..<offset + count]))
                }
            case .borrowed(let bytes):
                room.copyMemory(from: .init(rebasing: bytes[offset..<offset + count]))
            }
            return count
        }
    }

    /// The answer to the last post.
    private(set) var answer: [UInt8] = []
    private let handle: UnsafeMutableRawPointer
    private let limit: Int
    private let beyond: Beyond
    private var body: [Part] = []
    /// How much of the body was sent: parts, and bytes of the next one.
    private var sent = (parts: 0, bytes: 0)

    /// Bytes that libcurl takes at a time.
    private static let portion = 1 << 19

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
        set(CURLOPT_UPLOAD_BUFFERSIZE, Self.portion)
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
        _ body: [Part], to url: String, fields: [String]
    ) -> (result: CURLcode, status: Int) {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for field in fields + ["Expect:"] { list = curl_slist_append(list, field) }
        set(CURLOPT_URL, url)
        let size = body.reduce(0) { $0 + $1.count }
        _ = shim_easy_setopt_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(size))
        _ = shim_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, list)
        answer = []
        self.body = body
        sent = (0, 0)
        setCallbacks()
        let result = withExtendedLifetime(self) { curl_easy_perform(handle) }
        // Neither the body nor the fields are valid any longer.
        self.body = []
        _ = shim_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, nil)
        var status = 0
        _ = shim_easy_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return (result, status)
    }

    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA] {
            _ = shim_easy_setopt_pointer(handle, option, context)
        }
        _ = shim_easy_setopt_bytes_callback(handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let post = Unmanaged<HTTPPost>.fromOpaque(context).takeUnretainedValue()
            return post.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = shim_easy_setopt_bytes_callback(handle, CURLOPT_READFUNCTION) {
            bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let post = Unmanaged<HTTPPost>.fromOpaque(context).takeUnretainedValue()
            return post.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        // A kept connection that has ended meanwhile is one more, from the beginning.
        _ = shim_easy_setopt_seek_callback(handle, CURLOPT_SEEKFUNCTION) {
            context, offset, origin in
            guard let context, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
            let post = Unmanaged<HTTPPost>.fromOpaque(context).takeUnretainedValue()
            return post.seek(Int(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }

    /// Copies the next bytes of the body, 0 at its end.
    private func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        var given = 0
        while given < room.count, sent.parts < body.count {
            let part = body[sent.parts]
            let count = part.copy(from: sent.bytes, to: .init(rebasing: room[given...]))
            given += count
            sent.bytes += count
            if sent.bytes == part.count { sent = (sent.parts + 1, 0) }
        }
        return given
    }

    /// Goes on from a place of the body.
    private func seek(_ offset: Int) -> Bool {
        var rest = offset
        for (index, part) in body.enumerated() {
            if rest < part.count {
                sent = (index, rest)
                return true
            }
            rest -= part.count
        }
        sent = (body.count, 0)
        return rest == 0
    }

    /// Keeps a part of the answer; a result other than its length ends the post.
    private func take(_ part: UnsafeRawBufferPointer) -> Int {
        let room = limit - answer.count
        if part.count > room, beyond == .isRefused { return 0 }
        answer += part.prefix(room)
        return part.count
    }
}
