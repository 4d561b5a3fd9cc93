public import Notation
import Wire

/// One REST call: what is sent, where, and how hard to try.
///
/// Source: HTTPLayer/Specification.md#requests.
public struct Request: Sendable {
    /// The method of a request.
    public enum Kind: Hashable, Sendable {
        /// `POST`.
        case post
        /// `GET`, which has no body.
        case get
    }

    /// Which lane of the queue a request waits in.
    public enum Priority: Hashable, Sendable {
        /// Before every queued normal request, after the immediate ones that came earlier.
        case immediate
        /// After every queued immediate request.
        case normal
    }

    /// The bytes that a POST sends.
    public enum Body: Hashable, Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A file, read while it is sent.
        ///
        /// Its size goes into Content-Length. It is chunked where the headers have
        /// `Transfer-Encoding: chunked`, where it is compressed and where it is not a regular file.
        case file(path: String)
    }

    /// Where to: http or https; without a scheme it means https.
    public var url: String
    /// The method.
    public var requestType = Kind.post
    /// Another method; HEAD has an answer without a body, and a ``Kind/get`` still has no body.
    public var method: String?
    /// Whether the header fields go out as they are given.
    ///
    /// Repeated ones too, and none is added but those of the framing. The path keeps its dots, and
    /// the answer its content coding.
    public var isExact = false
    /// The JSON body of a POST, or the query of a GET.
    ///
    /// The query is sorted by key, percent-encoded and appended to that of the url; an array
    /// repeats its key, `null` is empty, an object is its JSON text.
    public var payload: [String: JSONValue]?
    /// The body of a POST, which wins over the payload; a GET sends none.
    public var requestBody: Body?
    /// Header fields; of two with one name, in any case, the last counts.
    ///
    /// Content-Length is ignored: the layer computes it. Transfer-Encoding may only be `chunked`.
    public var headers: [(name: String, value: String)] = []
    /// Whether the body is sent with gzip.
    ///
    /// Not done for an empty body, for GET, or where the headers have a Content-Encoding.
    public var compression = false
    /// Attempts after the first one, made on connection failures and 5xx; 0...15.
    public private(set) var retryCount: Int
    /// Its lane.
    public var priority = Priority.normal
    /// A value that is copied to the response, for the caller to identify it.
    public var requestTag: String?
    /// User and password, where the server requires them.
    public var credentials: Credentials?
    /// How long one attempt may take from its start to its last byte.
    public var timeout = Duration.seconds(600)
    /// How long an attempt may stall, in whole seconds.
    public var idleTimeout = Duration.seconds(60)
    /// How long resolving, connecting and TLS may take together.
    public var connectTimeout = Duration.seconds(120)
    /// The file that the body of a 2xx goes to, created with mode 0600 or overwritten.
    ///
    /// `data` is then empty and the body unbounded. Bodies of other answers are in `data` as
    /// always. After an error the file is deleted.
    public var bodyFile: String?

    /// A POST without a body.
    ///
    /// - Parameters:
    ///   - url: Where to; without a scheme it means https.
    ///   - retryCount: Attempts after the first one, 0...15.
    /// - Throws: ``RequestError`` for any other `retryCount`.
    public init(url: String, retryCount: Int = 1) throws(RequestError) {
        self.url = url
        self.retryCount = try Self.checked(retryCount)
    }

    /// Sets the attempts after the first one.
    ///
    /// - Throws: ``RequestError`` for anything outside 0...15.
    public mutating func setRetryCount(_ count: Int) throws(RequestError) {
        retryCount = try Self.checked(count)
    }

    private static func checked(_ count: Int) throws(RequestError) -> Int {
        guard (0...15).contains(count) else { throw .retryCount(count) }
        return count
    }
}
