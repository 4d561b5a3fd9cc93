/// The payload of `init`: a client opens a bucket on a channel.
///
/// Source: Simperium/Specification.md#init. Every field may be missing; the notes of
/// the command list which is. Numbers are given as their text.
public struct InitRequest: Hashable, Sendable {
    /// Name of the bucket.
    public var bucket: String?
    /// Identifier of the application.
    public var app: String?
    /// Access token of the user.
    public var token: String?
    /// Identifier of the client, from `clientid` or `client_id`.
    public var clientID: String?
    /// Version of the protocol: `1.1`.
    public var api: String?
    /// Name of the client library.
    public var library: String?
    /// Version of the client library.
    public var version: String?
    /// User name, which the clients for iOS send.
    public var username: String?
    /// Command to be executed as if it came after the `auth`, as text.
    public var command: String?
    /// The request in ``command``.
    public var request: Request?
    /// Bytes of the token in the message, with quotes, so that it can be redacted.
    public var tokenRange: Range<Int>?

    /// The request in the `cmd` of an `init`.
    public enum Request: Hashable, Sendable {
        /// A page of the index.
        case index(IndexRequest)
        /// The changes since this change version.
        case changesSince(cv: String)
        /// Something that is not specified.
        case other

        /// As it is sent in `cmd`; nil where that is unknown.
        public var text: String? {
            switch self {
            case .index(let request): "i:\(request.slots)"
            case .changesSince(let cv): "cv:\(cv)"
            case .other: nil
            }
        }
    }

    /// An empty request.
    public init() {}
}
