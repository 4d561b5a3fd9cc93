/// What a fault did to the bytes of a peer, to time, and to the connection.
///
/// Empty where it could not be done.
public struct FaultEffect: OptionSet, Hashable, Sendable {
    /// The effects, a bit for each.
    public let rawValue: UInt16

    /// The effects of these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A message was received other than it was sent.
    public static let altered = FaultEffect(rawValue: 1 << 0)
    /// A message was not received.
    public static let lost = FaultEffect(rawValue: 1 << 1)
    /// Bytes were received later than without it, or after others.
    public static let delayed = FaultEffect(rawValue: 1 << 2)
    /// A message was received more than once.
    public static let repeated = FaultEffect(rawValue: 1 << 3)
    /// A message of the client was answered in the server's place, which did not receive it.
    public static let answered = FaultEffect(rawValue: 1 << 4)
    /// A message was received that no peer sent.
    public static let injected = FaultEffect(rawValue: 1 << 5)
    /// The connection was closed, reset or half-closed.
    public static let ended = FaultEffect(rawValue: 1 << 6)
    /// From here on bytes were not forwarded, for a time or for good.
    public static let stalled = FaultEffect(rawValue: 1 << 7)
    /// The connection, its tunnel or its TLS was not established.
    public static let refused = FaultEffect(rawValue: 1 << 8)

    /// The effects with their names, in the order in which they are written.
    public static let named: [(effect: FaultEffect, name: String)] = [
        (.altered, "altered"), (.lost, "lost"), (.delayed, "delayed"), (.repeated, "repeated"),
        (.answered, "answered"), (.injected, "injected"), (.ended, "ended"),
        (.stalled, "stalled"), (.refused, "refused"),
    ]

    /// What stands for no effect.
    private static let nothing = "none"

    /// The effect of a text as ``description`` writes it; names that are not known are left out.
    public init(_ text: String) {
        let names = text.split(separator: " ")
        self.init(Self.named.filter { item in names.contains { $0 == item.name } }.map(\.effect))
    }

    /// Whether any of these is part of it.
    public func hasAny(of effects: FaultEffect) -> Bool { !isDisjoint(with: effects) }
}

extension FaultEffect: CustomStringConvertible {
    /// The names, with spaces between them: `lost ended`; `none` for no effect.
    public var description: String {
        isEmpty
            ? Self.nothing
            : Self.named.filter { contains($0.effect) }.map(\.name).joined(separator: " ")
    }
}
