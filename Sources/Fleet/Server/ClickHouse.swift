internal import CCurl
internal import CurlShim
internal import Notation

/// A ClickHouse server over its HTTP interface.
///
/// For one thread at a time, which it blocks: at most ten seconds for a connection, and a minute
/// without a byte. Its connection is kept open between queries.
public final class ClickHouse {
    /// The server and the database.
    public let address: FleetAddress
    private let password: String
    private let handle: UnsafeMutableRawPointer
    private var received: [UInt8] = []
    private var limit = ClickHouse.maxAnswer
    /// Bytes that were sent as rows, before HTTP.
    public private(set) var bytesSent: Int64 = 0

    /// Bytes of an answer that are taken.
    private static let maxAnswer = 1 << 30

    /// A client of the server at `address`; nothing is sent yet.
    ///
    /// - Throws: ``FleetError``.
    public init(_ address: FleetAddress, password: String) throws(FleetError) {
        guard shim_global_init() == CURLE_OK, let handle = curl_easy_init() else {
            throw FleetError(.server, "libcurl does not start")
        }
        self.address = address
        self.password = password
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    /// A value of a setting or parameter of a query.
    public typealias Setting = (name: String, value: String)

    /// The version of the server.
    ///
    /// - Throws: ``FleetError``, with code `version` for one that is not supported.
    public func version() throws(FleetError) -> ServerVersion {
        let answer = try run("SELECT version()", database: nil)
        let text = String(decoding: answer, as: UTF8.self).filter { !$0.isNewline }
        guard let version = ServerVersion(text) else {
            throw FleetError(
                .version,
                "\(address.place) is no ClickHouse that is known: its version is \"\(text.prefix(40))\"; name a ClickHouse server of \(ServerVersion.oldest) or newer"
            )
        }
        guard version >= .oldest else {
            throw FleetError(
                .version,
                "\(address.place) has ClickHouse \(text), and \(ServerVersion.oldest) or newer is needed"
            )
        }
        return version
    }

    /// Runs a query.
    ///
    /// - Parameters:
    ///   - sql: The query.
    ///   - settings: Settings of the server for this query.
    ///   - database: The database it runs in; nil for the user's own.
    /// - Returns: The answer, as the query's format has it.
    /// - Throws: ``FleetError``.
    @discardableResult public func run(
        _ sql: String, settings: [Setting] = [], database: String?
    ) throws(FleetError) -> [UInt8] {
        var settings = settings
        if let database { settings.append(("database", database)) }
        return try send(Array(sql.utf8), type: "text/plain", parameters: settings)
    }

    /// Runs a query in the database of the address.
    @discardableResult public func run(
        _ sql: String, settings: [Setting] = []
    ) throws(FleetError) -> [UInt8] {
        try run(sql, settings: settings, database: address.database)
    }

    /// The rows of a query that has no format: texts, nil for NULL.
    public func rows(
        _ sql: String, settings: [Setting] = []
    ) throws(FleetError) -> [[String?]] {
        let answer = try run(sql + "\nFORMAT TabSeparated", settings: settings)
        return TabSeparated.rows(answer)
    }

    /// The first column of the first row of `sql` as a number, 0 without a row.
    public func number(_ sql: String) throws(FleetError) -> Int64 {
        try rows(sql).first?.first.flatMap { $0 }.flatMap { Int64($0) } ?? 0
    }

    /// Runs a query that reads `rows`, in the format RowBinary, as the table `data`.
    ///
    /// - Parameters:
    ///   - sql: The query.
    ///   - structure: Columns of `data` with their types.
    ///   - rows: The rows.
    ///   - id: The identifier of the query, of which no two run at once.
    ///   - settings: Settings of the server.
    /// - Throws: ``FleetError``.
    func run(
        _ sql: String, structure: String, rows: [[UInt8]], id: String, settings: [Setting]
    ) throws(FleetError) {
        let boundary = "tapedeck-rows-\(id)"
        var body: [UInt8] = []
        body.reserveCapacity(rows.reduce(1_024) { $0 + $1.count })
        body += Array("--\(boundary)\r\n".utf8)
        body += Array(
            "Content-Disposition: form-data; name=\"data\"; filename=\"data\"\r\n\r\n".utf8)
        for part in rows { body += part }
        body += Array("\r\n--\(boundary)--\r\n".utf8)
        let answer = try send(
            body, type: "multipart/form-data; boundary=\(boundary)",
            parameters: settings + [
                ("database", address.database), ("query_id", id), ("query", sql),
                ("data_format", "RowBinary"), ("data_structure", structure),
            ])
        bytesSent += Int64(body.count)
        if let complaint = ServerComplaint(String(decoding: answer, as: UTF8.self)) {
            throw complaint.error(at: address.place, user: address.user)
        }
    }

    private func set(_ option: CURLoption, _ value: Int) {
        _ = shim_easy_setopt_long(handle, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        _ = shim_easy_setopt_string(handle, option, value)
    }

    private func send(
        _ body: [UInt8], type: String, parameters: [Setting]
    ) throws(FleetError) -> [UInt8] {
        let query = parameters.map {
            "\($0.name)=" + PercentEncoding.encode($0.value)
        }
        var fields: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(fields) }
        fields = curl_slist_append(fields, "Content-Type: \(type)")
        fields = curl_slist_append(fields, "Expect:")
        set(CURLOPT_URL, address.url + "?" + query.joined(separator: "&"))
        set(CURLOPT_PROTOCOLS_STR, address.isSecure ? "https" : "http")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_USERAGENT, "tapedeck")
        set(CURLOPT_CONNECTTIMEOUT, 10)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, 60)
        set(CURLOPT_ACCEPT_ENCODING, "")
        set(CURLOPT_HTTPAUTH, shim_auth_basic)
        set(CURLOPT_USERNAME, address.user)
        set(CURLOPT_PASSWORD, password)
        if let caFile = address.caFile { set(CURLOPT_CAINFO, caFile) }
        set(CURLOPT_POST, 1)
        _ = shim_easy_setopt_offset(
            handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        _ = shim_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, fields)
        received = []
        _ = shim_easy_setopt_bytes_callback(handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let client = Unmanaged<ClickHouse>.fromOpaque(context).takeUnretainedValue()
            let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
            guard client.received.count + part.count <= client.limit else { return 0 }
            client.received += part
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
        guard result == CURLE_OK else { throw failure(of: result) }
        var status = 0
        _ = shim_easy_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        let answer = received
        received = []
        guard status != 200 else { return answer }
        let text = String(decoding: answer.prefix(8_192), as: UTF8.self)
        if let complaint = ServerComplaint(text) {
            throw complaint.error(at: address.place, user: address.user)
        }
        if status == 502 || status == 503 || status == 504 {
            throw FleetError(.unreachable, "\(address.place) answers with status \(status)")
        }
        let line = text.split(whereSeparator: \.isNewline).first ?? "nothing"
        throw FleetError(
            .version,
            "\(address.place) is no ClickHouse: it answers with status \(status) and \"\(line.prefix(80))\"; check host and port of its HTTP interface"
        )
    }

    private func failure(of result: CURLcode) -> FleetError {
        let reason = String(cString: curl_easy_strerror(result))
        switch result {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CONNECT_ERROR,
            CURLE_SSL_CERTPROBLEM, CURLE_USE_SSL_FAILED:
            return FleetError(
                .refused,
                "\(address.place): \(reason); check secure=true and, where its authority is private, ca=FILE in the address"
            )
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            return FleetError(
                .version,
                "\(address.place) does not speak HTTP: \(reason); name the port of its HTTP interface"
            )
        case CURLE_WRITE_ERROR:
            return FleetError(
                .server, "\(address.place) answers with more than \(limit >> 20) MiB; ask for less")
        default:
            return FleetError(.unreachable, "no answer from \(address.place): \(reason)")
        }
    }
}
