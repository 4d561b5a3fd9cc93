import Notation

/// The path of an object in Simperium's HTTP API: `/1/APP/BUCKET/i/KEY` or `…/v/VERSION`.
struct HTTPObjectPath: Hashable {
    private let head: String
    /// The key, decoded.
    var key: String
    /// The version; nil for the latest.
    var version: String?

    /// The object of an exchange; nil where its path is that of none.
    init?(_ exchange: RecordedExchange) { self.init(exchange.path) }

    /// The object that a path names.
    init?(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 6 || parts.count == 8 && parts[6] == "v", parts[0].isEmpty,
            parts[1] == "1", parts[4] == "i", !parts[5].isEmpty
        else { return nil }
        head = parts[..<5].joined(separator: "/")
        key = String(decoding: PercentEncoding.decode(parts[5].utf8), as: UTF8.self)
        version = parts.count == 8 ? String(parts[7]) : nil
    }

    /// Application, bucket and key, whatever the version.
    var name: String { "\(head)/\(PercentEncoding.encode(key))" }

    /// The path.
    var path: String { name + (version.map { "/v/\($0)" } ?? "") }
}
