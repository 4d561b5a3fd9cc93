/// Why a request got no answer.
///
/// An answer with any status is none of these. The text has the message of libcurl or the system.
public enum HTTPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The url is none, or neither http nor https.
    case badURL(String)
    /// A header field that cannot be sent.
    case badHeader(name: String)
    /// No address for the name of the host or the proxy.
    case resolve(String)
    /// The connection was refused.
    case connect(String)
    /// TLS could not be negotiated, or the certificate is not trusted.
    case tls(String)
    /// It took longer than the request allows.
    case timeout(String)
    /// The caller or the end of the task withdrew it.
    case cancelled
    /// The answer has more bytes than are kept in memory.
    case tooLarge(limit: Int)
    /// A redirect that may not be followed.
    case redirect(String)
    /// The connection broke within the exchange, or what came is not HTTP.
    case aborted(String)
    /// A file to be sent or to be written to failed.
    case file(path: String, reason: String)

    /// Whether another attempt may help: after failures of the connection, not of trust.
    public var isTransient: Bool {
        switch self {
        case .resolve, .connect, .timeout, .aborted: true
        case .badURL, .badHeader, .tls, .cancelled, .tooLarge, .redirect, .file: false
        }
    }

    /// What happened and what to do, in one line.
    public var description: String {
        switch self {
        case .badURL(let url):
            "not a URL: \(url): use http://HOST/PATH or https://HOST/PATH"
        case .badHeader(let name):
            "the header field \(name) cannot be sent: names are tokens, values one line"
        case .resolve(let reason): "\(reason): check the name of the host and the network"
        case .connect(let reason): "\(reason): check that the server runs and the port is right"
        case .tls(let reason):
            "\(reason): name the authority's certificate with --ca FILE or SSL_CERT_FILE, or use "
                + "http:// where the server does not use TLS"
        case .timeout(let reason): "\(reason): try again later, or allow more time"
        case .cancelled: "cancelled"
        case .tooLarge(let limit):
            "the answer has more than \(limit) bytes, which are not kept in memory: request less at once"
        case .redirect(let reason): "\(reason): use the url that the server redirects to"
        case .aborted(let reason): "the connection was lost: \(reason)"
        case .file(let path, let reason): "\(path): \(reason)"
        }
    }
}
