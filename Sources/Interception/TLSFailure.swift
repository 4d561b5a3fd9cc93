/// Why TLS on a leg came to nothing, and what the user can do about it.
public struct TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The leg of the handshake.
    public enum Leg: Hashable, Sendable {
        /// The client's: Tapedeck is the server there.
        case client
        /// One to a server: Tapedeck is the client there.
        case server
    }

    /// The cause.
    public enum Cause: Hashable, Sendable {
        /// The other end sent an alert: the code and its name in RFC 8446, 6.
        case alert(code: UInt8, name: String)
        /// The other end closed the connection without an alert.
        case closed
        /// The other end reset the connection.
        case reset
        /// The two ends have no cipher suite, group or signature algorithm in common.
        case noSharedCipher
        /// The two ends have no protocol version in common.
        case noSharedVersion
        /// The handshake took too long.
        case timeout
        /// What came is not TLS.
        case notTLS
        /// The server's certificate is not accepted, with the reason.
        case verification(reason: String)
        /// Something else, as the TLS library puts it.
        case other(String)
    }

    /// The cause.
    public let cause: Cause
    /// The leg of the failure.
    public let leg: Leg

    /// A failure with these values.
    public init(_ cause: Cause, on leg: Leg) {
        self.cause = cause
        self.leg = leg
    }

    /// ``detail`` and ``advice`` in one line.
    public var description: String { advice.isEmpty ? detail : "\(detail): \(advice)" }

    /// The cause in a few words, as the trace has it.
    public var detail: String {
        let who = leg == .client ? "the client" : "the server"
        return switch cause {
        case .alert(let code, let name): "\(who) sent alert \(code) (\(name))"
        case .closed: "\(who) closed the connection during the handshake"
        case .reset: "\(who) reset the connection during the handshake"
        case .noSharedCipher: "no shared cipher with \(who)"
        case .noSharedVersion: "no shared TLS version with \(who)"
        case .timeout: "timeout: \(who) did not finish the handshake"
        case .notTLS: "\(who) does not speak TLS"
        case .verification(let reason): "the certificate of the server was not accepted: \(reason)"
        case .other(let text): "the handshake with \(who) failed: \(text)"
        }
    }

    /// The correction, in one line; empty where none is known.
    public var advice: String { leg == .client ? clientAdvice : serverAdvice }

    /// What to do about a client.
    private var clientAdvice: String {
        let install =
            "install the certificate authority of Tapedeck in the client's system or app "
            + "(`tapedeck ca` prints it), or leave this host alone with --passthrough"
        switch cause {
        case .alert(code: 48, _), .alert(code: 42, _), .alert(code: 46, _), .alert(code: 43, _):
            return "the client does not trust the certificate authority of Tapedeck; \(install)"
        case .alert(code: 45, _), .alert(code: 44, _):
            return "compare the clocks of the client and of this machine"
        case .alert(code: 49, _):
            return "the client pins its server's certificate; use --passthrough for this host"
        case .alert(code: 70, _), .noSharedVersion:
            return "the client needs TLS 1.2 or 1.3, or an older one that --tls-min allows"
        case .alert(code: 40, _), .noSharedCipher:
            return "the client has to offer TLS 1.3, or TLS 1.2 with an ECDHE-ECDSA cipher suite"
        case .alert(code: 120, _):
            return "the client requires another protocol than http/1.1"
        case .alert(code: 112, _):
            return "the host is unknown to the client that connected to it"
        case .closed, .reset:
            return "most clients that do this do not trust the certificate authority of "
                + "Tapedeck; \(install)"
        case .timeout: return "the client may be waiting for its user to accept the certificate"
        case .notTLS: return "check the scheme, and the port, that the client was given"
        case .alert, .verification, .other: return ""
        }
    }

    /// What to do about a server.
    private var serverAdvice: String {
        switch cause {
        case .verification(let reason) where reason.contains("unknown authority"):
            "name its authority with --server-ca FILE, or disable verification with --insecure"
        case .verification(let reason) where reason.contains("other name"):
            "connect by a name that the certificate has, or disable verification with --insecure"
        case .verification:
            "give the server another certificate, or disable verification with --insecure"
        case .notTLS: "check the scheme and the port of the server: it may use plain http"
        case .noSharedCipher, .noSharedVersion, .alert(code: 70, _), .alert(code: 40, _):
            "the server needs TLS 1.2 or 1.3, or an older one that --tls-min allows"
        case .alert(code: 112, _): "the host name is unknown to the server"
        case .alert(code: 116, _), .alert(code: 42, _):
            "the server requires a client certificate: name one with --client-certificate "
                + "FILE, or use --passthrough for this host"
        case .timeout, .closed, .reset: "the server may be overloaded, or behind a firewall"
        case .alert, .other: ""
        }
    }
}
