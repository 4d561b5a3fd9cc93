import CCurl
import CurlShim
import Foundation
import Platform

/// Sends requests to the control interface of a running proxy, over its socket or over loopback.
final class ControlClient {
    /// An answer.
    struct Answer {
        let status: Int
        let body: [UInt8]
    }

    private let place: String
    private let base: String
    private let socket: String?
    private let token: String?
    private let folder: Int32
    private var received: [UInt8] = []

    /// A client of the socket at a path, or of the interface at `http://HOST:PORT`.
    init(_ place: String, token: String?) throws(Failure) {
        self.place = place
        self.token = token
        if place.hasPrefix("http://") {
            base = place.hasSuffix("/") ? String(place.dropLast()) : place
            socket = nil
            folder = -1
            guard token != nil else {
                throw Failure(.usage, "--control \(place) goes with --token TOKEN")
            }
            return
        }
        guard FileManager.default.fileExists(atPath: place) else {
            throw Failure(
                .unavailable,
                "\(place) does not exist: no recording to that trace is running, or it has no control interface; start tapedeck record, or give --control"
            )
        }
        base = "http://localhost"
        // Paths of sockets are short; the folder is reached through its descriptor.
        let parent = (place as NSString).deletingLastPathComponent
        folder = open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        socket = OpenFiles.path(of: (place as NSString).lastPathComponent, in: folder)
    }

    deinit { if folder >= 0 { close(folder) } }

    /// Sends a request with a body of a type and waits for the answer, at most a minute.
    func ask(
        _ method: String, _ path: String, _ body: [UInt8]?, _ type: String = "application/json"
    ) throws(Failure) -> Answer {
        guard shim_global_init() == CURLE_OK, let handle = curl_easy_init() else {
            throw Failure(.software, "libcurl does not start")
        }
        defer { curl_easy_cleanup(handle) }
        var fields: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(fields) }
        fields = curl_slist_append(fields, "Content-Type: \(type)")
        fields = curl_slist_append(fields, "Expect:")
        if let token { fields = curl_slist_append(fields, "Authorization: Bearer \(token)") }
        let bytes = body ?? []
        received = []
        shim_easy_setopt_string(handle, CURLOPT_URL, base + path)
        shim_easy_setopt_string(handle, CURLOPT_CUSTOMREQUEST, method)
        shim_easy_setopt_string(handle, CURLOPT_PROXY, "")
        shim_easy_setopt_long(handle, CURLOPT_PATH_AS_IS, 1)
        shim_easy_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
        shim_easy_setopt_long(handle, CURLOPT_TIMEOUT, 60)
        shim_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, fields)
        if let socket { shim_easy_setopt_string(handle, CURLOPT_UNIX_SOCKET_PATH, socket) }
        if method != "GET" {
            shim_easy_setopt_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        }
        shim_easy_setopt_bytes_callback(handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let client = Unmanaged<ControlClient>.fromOpaque(context).takeUnretainedValue()
            let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
            // A control interface answers with no more than this.
            guard client.received.count + part.count <= 64 << 20 else { return 0 }
            client.received += part
            return part.count
        }
        shim_easy_setopt_pointer(
            handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
        let result = withExtendedLifetime(self) {
            bytes.withUnsafeBytes { buffer in
                if method != "GET" {
                    shim_easy_setopt_pointer(
                        handle, CURLOPT_POSTFIELDS,
                        UnsafeMutableRawPointer(mutating: buffer.baseAddress))
                }
                return curl_easy_perform(handle)
            }
        }
        guard result == CURLE_OK else {
            let reason = String(cString: curl_easy_strerror(result))
            throw Failure(
                .unavailable,
                "no answer at \(place): \(reason); check that tapedeck record is running")
        }
        var status = 0
        shim_easy_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return Answer(status: status, body: received)
    }
}
