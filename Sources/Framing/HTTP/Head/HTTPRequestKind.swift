/// The kind of request, which the framing of its response depends on.
///
/// Source: RFC 9112, 6.3, items 1 and 2.
public enum HTTPRequestKind: Hashable, Sendable {
    /// `HEAD`: the response has no content whatever its fields.
    case head
    /// `CONNECT`: a 2xx response turns the connection into a tunnel.
    case connect
    /// Any other method.
    case other
    /// Unknown, since bytes are missing: the content of the response is skipped, and the next start
    /// line is looked for.
    case unknown

    /// The kind of the request that begins with `head`.
    ///
    /// Methods are case-sensitive (RFC 9110, 9.1).
    public init(_ head: HTTPHead) {
        if head.bytes.span.isEqual(head.methodRange, to: "HEAD") {
            self = .head
        } else if head.bytes.span.isEqual(head.methodRange, to: "CONNECT") {
            self = .connect
        } else {
            self = .other
        }
    }
}
