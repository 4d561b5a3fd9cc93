/// How much of a WebSocket message is kept and how far it is inflated.
public struct WebSocketLimits: Hashable, Sendable {
    /// Greatest number of bytes of a message's payload that are stored; the rest is only counted.
    public var maxStoredPayload: Int
    /// Greatest number of bytes that a compressed message is inflated to before it is abandoned.
    public var maxInflated: Int64

    /// Limits with these values; negative ones count as 0.
    public init(maxStoredPayload: Int = 1 << 20, maxInflated: Int64 = 64 << 20) {
        self.maxStoredPayload = max(0, maxStoredPayload)
        self.maxInflated = max(0, maxInflated)
    }
}
