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
    /// What it says; of an ``InitRequest`` the ``InitRequest/tokenRange`` is nil.
    public var body: SimperiumBody<JSONValue>

    /// The message `body` on `channel`.
    public init(_ channel: Int?, _ body: SimperiumBody<JSONValue>) {
        self.channel = channel
        self.body = body
    }
}
