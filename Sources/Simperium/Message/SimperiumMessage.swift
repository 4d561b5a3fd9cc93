public import Notation
import Wire

/// One Simperium command as a value of its own, without the message it came in.
///
/// ``SimperiumCommand`` says where things stand in a message; this says what it means, and can be
/// made and sent.
///
///     let message = SimperiumMessage(0, .changesSince(cv: "511aa58737a401031d57db90"))
///     message.encoded(by: .client)  // 0:cv:511aa58737a401031d57db90
///
/// Source: Simperium WebSocket API, "Streaming API".
public struct SimperiumMessage: Hashable, Sendable {
    /// Number of the channel, at least 0; nil for `h`, `log` and a bare `?`.
    public var channel: Int?
    /// What it says.
    public var body: Body

    /// The message `body` on `channel`.
    public init(_ channel: Int?, _ body: Body) {
        self.channel = channel
        self.body = body
    }

    /// What a message says.
    public enum Body: Hashable, Sendable {
        /// `init`: a client opens a bucket; ``InitRequest/tokenRange`` is nil.
        case initialize(InitRequest)
        /// `auth`: the server lets it, or does not.
        case auth(AuthReply)
        /// `i` of a client: a page of the index is asked for.
        case indexRequest(IndexRequest)
        /// `i` of a server: a page of the index.
        case indexPage(Page)
        /// `i:?`: the server does not know the mark.
        case unknownMark
        /// `e` of a client: an entity is asked for.
        case entityRequest(key: String, version: Int64)
        /// `e` of a server: the data of an entity; nil, sent as `?`, for the lack of it.
        case entity(key: String, version: Int64, data: JSONValue?)
        /// `cv` of a client: changes since this change version are asked for; may be empty.
        case changesSince(cv: String)
        /// `cv:?`, or `c:?` as before API version 1.1: the server does not know the change version.
        case unknownChangeVersion(isLegacy: Bool)
        /// `c`: changes, a client's as an object and a server's as an array.
        case changes([Change])
        /// `h`: a heartbeat and its number, at least 0.
        case heartbeat(Int64)
        /// `o` of a server: options of the channel.
        case options(ChannelOptions)
        /// `index` of a server: the client's state is asked for.
        case indexStateRequest
        /// `index` of a client: its state.
        case indexState(State)
        /// `log` of a server: logging begins or ends; at least 0.
        case logLevel(Int)
        /// `log` of a client.
        case log(LogMessage)
        /// `?`: the server did not understand something.
        case notUnderstood
        /// Anything else as sent; the payload is nil where there is no colon after the name.
        case other(name: String, payload: [UInt8]?)
    }
}
