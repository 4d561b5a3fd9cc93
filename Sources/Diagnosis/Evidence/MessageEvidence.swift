public import Dissection

/// A WebSocket message other than Simperium commands.
public struct MessageEvidence: Sendable {
    /// The message as received.
    public var row: MessageRow
    /// Who made it.
    public var origin: Origin

    /// A message with these values.
    public init(_ row: MessageRow, origin: Origin = .peer) {
        self.row = row
        self.origin = origin
    }
}
