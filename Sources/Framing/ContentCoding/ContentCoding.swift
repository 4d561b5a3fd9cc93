/// A content coding that can be undone.
///
/// Source: RFC 9110, 8.4.1; RFC 7932 (br); RFC 8878 (zstd).
public enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    /// `gzip` and `x-gzip` (RFC 1952), one member or several.
    case gzip
    /// `deflate`: zlib (RFC 1950), or bare deflate (RFC 1951), which some servers send.
    case deflate
    /// `br`: Brotli (RFC 7932).
    case brotli = "br"
    /// `zstd`: Zstandard (RFC 8878), one frame or several.
    case zstandard = "zstd"

    /// The codings that a `Content-Encoding` names, in the order in which they were applied.
    ///
    /// `identity` and empty elements are left out; letters compare without regard to case.
    ///
    /// - Throws: ``ContentCodingError/unknown(coding:)``.
    public static func parse(_ codings: String) throws(ContentCodingError) -> [ContentCoding] {
        var result: [ContentCoding] = []
        for element in codings.utf8.split(separator: 0x2C) {
            let name = String(Substring(element)).lowercased()
                .split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
            switch name {
            case "", "identity": break
            case "gzip", "x-gzip": result.append(.gzip)
            case "deflate": result.append(.deflate)
            case "br": result.append(.brotli)
            case "zstd": result.append(.zstandard)
            default: throw .unknown(coding: name)
            }
        }
        return result
    }
}
