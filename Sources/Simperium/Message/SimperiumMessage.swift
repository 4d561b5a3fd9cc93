public import Notation
import Wire

/// One Simperium command as an independent value, without the message that contained it.
///
/// ``SimperiumCommand`` has the places of values in a message; this has the values, and can be made
/// and sent.
///
///     let message = SimperiumMessage(0, .changesSince(cv: "511aa58737a401031d57db90"))
///     message.encoded(by: .client)  // 0:cv:511aa58737a401031d57db90
///
/// Source: Simperium/Specification.md#messages.
public struct SimperiumMessage: Hashable, Sendable {
    /// Number of the channel, at least 0; nil for `h`, `log` and a bare `?`.
    public var channel: Int?
    /// Its contents; of an ``InitRequest`` the ``InitRequest/tokenRange`` is nil.
    public var body: SimperiumBody<JSONValue>

    /// The message `body` on `channel`.
    public init(_ channel: Int?, _ body: SimperiumBody<JSONValue>) {
        self.channel = channel
        self.body = body
    }
}
