/// Describes a file that was taken for an HTTP archive and is not one.
enum ArchiveNature {
    /// What files begin with, and what that makes them.
    private static let beginnings: [(bytes: [UInt8], detail: String)] = [
        (Array("SQLite format 3".utf8), "a SQLite database, perhaps a trace: it needs no import"),
        ([0xD4, 0xC3, 0xB2, 0xA1], "a pcap file"), ([0xA1, 0xB2, 0xC3, 0xD4], "a pcap file"),
        ([0x4D, 0x3C, 0xB2, 0xA1], "a pcap file"), ([0xA1, 0xB2, 0x3C, 0x4D], "a pcap file"),
        ([0x0A, 0x0D, 0x0D, 0x0A], "a pcapng file"),
        ([0x1F, 0x8B], "compressed; run gunzip first"),
        ([0x78, 0x01], "compressed with zlib (a .zhar of mitmproxy?); decompress it first"),
        ([0x78, 0x9C], "compressed with zlib (a .zhar of mitmproxy?); decompress it first"),
        ([0x78, 0xDA], "compressed with zlib (a .zhar of mitmproxy?); decompress it first"),
        (
            Array("PK".utf8),
            "a ZIP archive (a session of Charles or Fiddler?); export it as HAR there"
        ),
        (Array("<".utf8), "XML or HTML"),
    ]

    /// What `start`, the first bytes of a file, shows; nil where they may be JSON or are unknown.
    static func detail(of start: [UInt8]) -> String? {
        guard let first = start.first else { return "empty" }
        if let known = beginnings.first(where: { start.starts(with: $0.bytes) }) {
            return known.detail
        }
        let digits = start.prefix { (0x30...0x39).contains($0) }
        if (1...12).contains(digits.count), start.dropFirst(digits.count).first == 0x3A {
            return "a flow file of mitmproxy, or an unknown format"
        }
        return first == 0x7B || first == 0x5B || first <= 0x20 || first == 0xEF
            ? nil : "not JSON"
    }

    /// Describes JSON without `log.entries`, by the names in its first bytes.
    static func detail(ofJSON start: [UInt8]) -> String {
        let text = String(decoding: start, as: UTF8.self)
        func has(_ names: String...) -> Bool { names.allSatisfy { text.contains("\"\($0)\"") } }
        if has("_postman_id") || has("info", "item") {
            return "a Postman collection, which has no traffic"
        }
        if has("_type", "resources") || has("type", "collection.insomnia.rest/5.0") {
            return "an Insomnia collection, which has no traffic; export it as HAR there"
        }
        if has("openapi") || has("swagger") { return "an API description, which has no traffic" }
        if has("traceEvents") { return "a performance trace of Chrome; export the Network panel" }
        if has("constants", "events") { return "a NetLog of Chrome; export the Network panel" }
        if text.utf8.first == 0x5B, has("method"), has("host") {
            return "a session of Charles in JSON; export it as HAR there"
        }
        return "JSON, but not an HTTP archive: it has no log.entries"
    }
}
