internal import Notation
internal import Wire

/// The header fields that every answer of an OpenRosa server has.
///
/// Source: OpenRosa/Specification.md#response-headers.
public enum OpenRosaFields {
    /// The largest accepted submission that Tapedeck's answers announce, in bytes; that of CommCare
    /// HQ.
    public static let acceptedLength = 10 << 20

    /// The fields of an answer, in order.
    ///
    /// - Parameters:
    ///   - version: `X-OpenRosa-Version` of the request; nil where it has none.
    ///   - unixSeconds: When the answer is made, in seconds since 1970.
    /// - Returns: Names and values, in the order in which they are sent.
    public static func answer(
        to version: String?, unixSeconds: Int64
    ) -> [(name: String, value: String)] {
        [
            // The requested version, since both 1.0 and 3.0 are in use: OpenRosa HTTP, "Versions".
            ("X-OpenRosa-Version", version == "3.0" ? "3.0" : "1.0"),
            ("X-OpenRosa-Accept-Content-Length", String(acceptedLength)),
            ("Content-Language", "en"), ("Date", HTTPDate(unixSeconds: unixSeconds).text),
        ]
    }
}
