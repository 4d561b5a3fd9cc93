/// One end of a TCP connection.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    public var address: IPAddress
    /// The TCP port.
    public var port: UInt16

    /// The end at this address and port.
    public init(_ address: IPAddress, _ port: UInt16) {
        self.address = address
        self.port = port
    }

    /// `ADDRESS:PORT`, a version 6 address in brackets.
    public var description: String {
        address.isVersion4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
