public import Filters

/// The phases that some rule is evaluated in: what a gate has to find and hold for them.
public struct FaultInterest: OptionSet, Hashable, Sendable {
    /// A bit for each phase, at the place of its number.
    public let rawValue: UInt16

    /// The interest with these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The interest in one phase.
    public init(_ phase: FilterPhase) { rawValue = 1 << UInt16(phase.rawValue) }

    /// Rules evaluated when a client connects.
    public static let connection = FaultInterest(.connection)
    /// Rules evaluated when a client starts TLS or requests a tunnel.
    public static let handshake = FaultInterest(.handshake)
    /// Rules evaluated when the head of a request is complete.
    public static let requestHead = FaultInterest(.requestHead)
    /// Rules evaluated when a request is complete.
    public static let requestBody = FaultInterest(.requestBody)
    /// Rules evaluated when the head of a final response is complete.
    public static let responseHead = FaultInterest(.responseHead)
    /// Rules evaluated when a response is complete.
    public static let responseBody = FaultInterest(.responseBody)
    /// Rules evaluated for a Simperium command.
    public static let command = FaultInterest(.command)
    /// Rules evaluated for a WebSocket message.
    public static let message = FaultInterest(.message)
}
