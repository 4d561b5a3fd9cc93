/// Number of a connection to a server, assigned when it is accepted.
public struct SocketID: Hashable, Sendable, RawRepresentable {
    /// The number.
    public let rawValue: Int

    /// The socket with this number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The socket with this number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}
