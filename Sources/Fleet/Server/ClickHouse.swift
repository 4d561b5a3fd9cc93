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
    private let post: HTTPPost
    /// Bytes that were sent as rows, before HTTP.
    public private(set) var bytesSent: Int64 = 0

    /// Bytes of an answer that are taken.
    private static let maxAnswer = 1 << 30

    /// A client of the server at `address`; nothing is sent yet.
    ///
    /// - Throws: ``FleetError``.
    public init(_ address: FleetAddress, password: String) throws(FleetError) {
        post = try HTTPPost(limit: Self.maxAnswer, beyond: .isRefused)
        self.address = address
        post.set(CURLOPT_PROTOCOLS_STR, address.isSecure ? "https" : "http")
        post.set(CURLOPT_ACCEPT_ENCODING, "")
        post.set(CURLOPT_HTTPAUTH, shim_auth_basic)
        post.set(CURLOPT_USERNAME, address.user)
        post.set(CURLOPT_PASSWORD, password)
        if let caFile = address.caFile { post.set(CURLOPT_CAINFO, caFile) }
    }

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
        return try send([.array(Array(sql.utf8))], type: "text/plain", parameters: settings)
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
        _ sql: String, structure: String, rows: RowBinary, id: String, settings: [Setting]
    ) throws(FleetError) {
        let boundary = "tapedeck-rows-\(id)"
        let parameters =
            settings + [
                ("database", address.database), ("query_id", id), ("query", sql),
                ("data_format", "RowBinary"), ("data_structure", structure),
            ]
        let before = Array(
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"data\"; filename=\"data\"\r\n\r\n"
                .utf8)
        let after = Array("\r\n--\(boundary)--\r\n".utf8)
        let answer = try rows.withBytes { rows throws(FleetError) in
            try send(
                [.array(before), .borrowed(rows), .array(after)],
                type: "multipart/form-data; boundary=\(boundary)", parameters: parameters)
        }
        bytesSent += Int64(before.count + rows.count + after.count)
        if let complaint = ServerComplaint(String(decoding: answer, as: UTF8.self)) {
            throw complaint.error(at: address.place, user: address.user)
        }
    }

    private func send(
        _ body: [HTTPPost.Part], type: String, parameters: [Setting]
    ) throws(FleetError) -> [UInt8] {
        let query = parameters.map {
            "\($0.name)=" + PercentEncoding.encode($0.value)
        }
        let (result, status) = post.send(
            body, to: address.url + "?" + query.joined(separator: "&"),
            fields: ["Content-Type: \(type)"])
        guard result == CURLE_OK else { throw failure(of: result) }
        guard status != 200 else { return post.answer }
        let text = String(decoding: post.answer.prefix(8_192), as: UTF8.self)
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
                .server,
                "\(address.place) answers with more than \(Self.maxAnswer >> 20) MiB; ask for less"
            )
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            // A server that ended, and also the native port: it says what it is and resets the
            // connection, and the reset may come before what it said was read.
            return FleetError(
                .unreachable,
                "no answer from \(address.place): \(reason); look whether it runs and whether this is the port of its HTTP interface"
            )
        default:
            return FleetError(.unreachable, "no answer from \(address.place): \(reason)")
        }
    }
}
