import Notation

/// The clients that may use the control interface.
enum ControlAccess: Sendable {
    /// Any client that can open the socket, which is its owner's.
    case owner
    /// Any client with the token that addresses this program by a name of this machine.
    case token(String, authorities: Set<String>)

    /// The header fields that identify a client.
    struct Credentials {
        /// `Host`, as sent.
        let host: String?
        /// `Origin`, as a browser sends it for a page.
        let origin: String?
        /// `Authorization`, as sent.
        let authorization: String?
    }

    /// Refuses a client without access.
    ///
    /// A page of another site has another origin; one that had its name resolve to this machine
    /// names another host. Neither has the token.
    func check(_ credentials: Credentials) throws(ControlProblem) {
        guard case .token(let token, let authorities) = self else { return }
        guard let host = credentials.host?.lowercased(), authorities.contains(host) else {
            throw ControlProblem(
                421, "other-host", "the Host is not a name of this interface",
                hint: "use the address that was printed: \(authorities.sorted()[0])")
        }
        if let origin = credentials.origin?.lowercased() {
            guard authorities.contains(where: { origin == "http://\($0)" }) else {
                throw ControlProblem(
                    403, "other-origin", "pages of other sites have no access",
                    hint: "send the request from a program, without Origin")
            }
        }
        guard let sent = credentials.authorization, Self.isSame(sent, "Bearer \(token)") else {
            throw ControlProblem(
                401, "no-token", "the token is missing or wrong",
                hint: "send Authorization: Bearer TOKEN, with the token that was printed")
        }
    }

    /// Whether two texts are the same, in a time that depends on their length only.
    private static func isSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 64 random hexadecimal digits that cannot be guessed.
    static func makeToken() -> String {
        var random = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
    }
}
