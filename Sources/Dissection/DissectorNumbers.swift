/// The numbers that the next derived rows get.
public struct DissectorNumbers: Hashable, Sendable {
    /// Number of the next exchange, at least 1.
    public var exchange: Int64
    /// Number of the next message, at least 1.
    public var message: Int64
    /// Number of the next command, at least 1.
    public var command: Int64

    /// The numbers of a trace; default: those of an empty one.
    public init(exchange: Int64 = 1, message: Int64 = 1, command: Int64 = 1) {
        self.exchange = exchange
        self.message = message
        self.command = command
    }
}
