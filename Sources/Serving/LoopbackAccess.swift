import Notation

/// The clients that may use an interface of a program on this machine.
package enum LoopbackAccess: Sendable {
    /// Any client that can open the socket, which is its owner's.
    case owner
    /// Any client with the token that addresses this program by a name of this machine; a browser
    /// sends it in the cookie.
    case token(String, authorities: Set<String>, cookie: String? = nil)

    /// Refuses a client without access.
    ///
    /// A page of another site has another origin; one that had its name resolve to this machine
    /// names another host. Neither has the token.
    ///
    /// - Parameter request: What the client sent.
    /// - Throws: ``ServedProblem``: 421, 403 or 401.
    package func check(_ request: ServedRequest) throws(ServedProblem) {
        guard case .token(let token, _, let cookie) = self else { return }
        try checkPlace(request)
        if let cookie, request.hasCookie("\(cookie)=\(token)") { return }
        guard let sent = request.value("authorization"), Self.isSame(sent, "Bearer \(token)") else {
            throw ServedProblem(
                401, "no-token", "the token is missing or wrong",
                hint: cookie == nil
                    ? "send Authorization: Bearer TOKEN, with the token that was printed"
                    : "open the address that was printed, which has the token")
        }
    }

    /// Refuses a client that addresses another host, or a page of another origin.
    ///
    /// - Parameter request: What the client sent.
    /// - Throws: ``ServedProblem``: 421 or 403.
    package func checkPlace(_ request: ServedRequest) throws(ServedProblem) {
        guard case .token(_, let authorities, _) = self else { return }
        // Several fields of one name are ambiguous.
        let hosts = request.fields.filter { $0.name.lowercased() == "host" }
        guard hosts.count == 1, authorities.contains(hosts[0].value.lowercased()) else {
            throw ServedProblem(
                421, "other-host", "the Host is not a name of this interface",
                hint: "use the address that was printed: \(authorities.sorted()[0])")
        }
        if let origin = request.value("origin")?.lowercased() {
            guard authorities.contains(where: { origin == "http://\($0)" }) else {
                throw ServedProblem(
                    403, "other-origin", "pages of other sites have no access",
                    hint: "send the request from a program, without Origin")
            }
        }
    }

    /// Whether a text is the token.
    package func isToken(_ text: String) -> Bool {
        guard case .token(let token, _, _) = self else { return false }
        return Self.isSame(text, token)
    }

    /// Whether two texts are the same, in a time that depends on their length only.
    private static func isSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 64 random hexadecimal digits that cannot be guessed.
    package static func makeToken() -> String {
        var random = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
    }
}
