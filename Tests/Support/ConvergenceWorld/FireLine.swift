public import Simperium
public import Wire

/// What carries messages between the clients of a ``FireWorld`` and its server.
///
/// It has no clock and draws nothing from the world: what was sent waits until the world receives it.
public protocol FireLine {
    /// A client connects, which is over when ``takeNews()`` says so.
    mutating func open(_ client: Int, at: Instant)
    /// The connection of a client is gone, and with it whatever was not received.
    mutating func close(_ client: Int, at: Instant)
    /// One side sends a message on the connection of a client.
    mutating func send(
        _ message: SimperiumMessage, from sender: Peer, of client: Int, at: Instant)
    /// The oldest message that has come from `sender`.
    mutating func receive(from sender: Peer, of client: Int) -> FireArrival?
    /// How many have come from `sender` and were not received.
    func waiting(from sender: Peer, of client: Int) -> Int
    /// It is `now`, for whatever was held back.
    mutating func pass(to now: Instant)
    /// What happened to connections since this was asked last.
    mutating func takeNews() -> [FireNews]
    /// From now on nothing goes wrong any more.
    mutating func calm(at: Instant)
}

/// A message that has come.
public struct FireArrival {
    /// What it says; nil where it cannot be read.
    public var message: SimperiumMessage?
    /// As it stood on the wire; nil where it was never written.
    public var text: [UInt8]?

    /// A message that has come.
    public init(message: SimperiumMessage?, text: [UInt8]?) {
        self.message = message
        self.text = text
    }
}

/// Something that happened to a connection.
public enum FireNews: Hashable, Sendable {
    /// The client is connected.
    case opened(Int)
    /// The connection ended, or could not be made.
    case ended(Int)
}
