package import Framing

/// Which resource of which server a request is about.
package struct RequestAddress {
    package var host: String
    package var port: Int?
    package var path: String
    package var query: String?
    /// The scheme, where the target names it.
    package var scheme: String?

    /// Reads target and `Host` of a request as its receiver does (RFC 9112, 3.2 and 3.3).
    package init(_ head: HTTPHead) {
        host = ""
        guard let target = try? head.parsedTarget() else {
            path = head.target
            setHost(head)
            return
        }
        path = target.form == .authority ? "" : target.path
        query = target.query
        scheme = target.scheme
        if let authority = target.authority {
            (host, port) = (authority.host, authority.port)
        } else {
            setHost(head)
        }
    }

    private mutating func setHost(_ head: HTTPHead) {
        guard let field = head.first("host") else { return }
        let value = head.bytes.span.extracting(field.value)
        guard let authority = try? HTTPAuthority.parse(value, defaultPort: 0) else {
            host = head.text(field.value).lowercased()
            return
        }
        host = authority.host
        port = authority.port == 0 ? nil : authority.port
    }
}
