/// One record of TLS as it was on the wire.
///
/// Source: RFC 8446, 5.1; RFC 5246, 6.2.
struct TLSRecord: Sendable {
    /// What a record carries.
    enum ContentType: UInt8, Hashable, Sendable {
        case changeCipherSpec = 20
        case alert = 21
        case handshake = 22
        case applicationData = 23
        case heartbeat = 24
    }

    /// Bytes before the fragment: type, version and length.
    static let headerCount = 5
    /// Longest fragment of TLS 1.2, which allows 2048 bytes more than the plaintext has.
    static let longestFragment = 1 << 14 + 2048

    /// Its stated content type; encrypted records of TLS 1.3 all have application data.
    var type: ContentType
    /// Its stated version.
    var version: UInt16
    /// What comes after the header.
    var fragment: ArraySlice<UInt8>
    /// When its last byte was captured, in nanoseconds since 1970 UTC.
    var atUnixNanoseconds: Int64
    /// Whether its place was searched for and is not certain.
    var isFound: Bool

    /// Bytes with the header.
    var count: Int { Self.headerCount + fragment.count }

    /// Length of the fragment after a header, nil where no record begins so.
    ///
    /// - Parameters:
    ///   - header: At least five bytes.
    ///   - isSearched: Whether a header is checked more strictly, since it may be arbitrary bytes.
    /// - Returns: The length, 1 to ``longestFragment``.
    static func length(_ header: ArraySlice<UInt8>, isSearched: Bool) -> Int? {
        let start = header.startIndex
        guard let type = ContentType(rawValue: header[start]), header[start + 1] == 3,
            header[start + 2] <= 4
        else { return nil }
        let count = Int(header[start + 3]) << 8 | Int(header[start + 4])
        guard 1...longestFragment ~= count else { return nil }
        guard isSearched else { return count }
        guard header[start + 2] >= 1 else { return nil }
        switch type {
        case .changeCipherSpec: return count == 1 ? count : nil
        // Two bytes, encrypted with any known cipher fewer than 128.
        case .alert: return count < 128 ? count : nil
        case .heartbeat: return nil
        case .handshake, .applicationData: return count
        }
    }
}
