import Notation

/// The user of a request to a server.
package enum SignedInUser {
    /// The user of the query's `as`, or else the name of `Basic` credentials.
    ///
    /// - Parameters:
    ///   - authorization: Value of the `Authorization` field.
    ///   - query: Query of the target, without the question mark.
    /// - Returns: The name; nil where neither has one.
    package static func name(authorization: String?, query: String?) -> String? {
        query.flatMap(other)
            ?? authorization.flatMap {
                BasicCredentials(authorization: $0)?.user
            }
    }

    /// The last `as` of a query, where that is not empty.
    ///
    /// Source: CommCare's "log in as", which web users restore with.
    private static func other(_ query: String) -> String? {
        guard query.utf8.contains(0x3D) else { return nil }
        let value = query.utf8.split(separator: 0x26).last { $0.starts(with: "as=".utf8) }
        guard let value, value.count > 3 else { return nil }
        return String(
            decoding: PercentEncoding.decode(value.dropFirst(3), plusIsSpace: true), as: UTF8.self)
    }
}
