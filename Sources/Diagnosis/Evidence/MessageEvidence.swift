public import Dissection

/// A WebSocket message that is no Simperium command.
public struct MessageEvidence: Sendable {
    /// The message as its receiver got it.
    public var row: MessageRow
    /// Who made it.
    public var origin: Origin

    /// A message with these values.
    public init(_ row: MessageRow, origin: Origin = .peer) {
        self.row = row
        self.origin = origin
    }
}
