import Synchronization

/// Addresses that stand for names, for clients whose connections are redirected: a connection to such an
/// address is one to its name.
public final class NameTable: Sendable {
    private struct State {
        var addresses: [String: UInt32] = [:]
        var names: [String] = []
    }

    /// The first address, in 198.18.0.0/15, which no machine has (RFC 2544): those before it are
    /// for interfaces.
    private static let first: UInt32 = 198 << 24 | 18 << 16 | 1 << 8
    /// What the IPv6 addresses begin with, of a private network (RFC 4193); the IPv4 address follows.
    private static let prefix: [UInt8] =
        [0xFD, 0x74, 0x61, 0x70, 0x65, 0x64] + [UInt8](repeating: 0, count: 6)
    /// How many names there may be.
    private static let most = 100_000

    private let state = Mutex(State())

    /// A table without names.
    public init() {}

    /// The address that stands for `name`, always the same; nil where there are too many.
    func address(for name: String) -> [UInt8]? {
        let name = name.lowercased()
        let number = state.withLock { state -> UInt32? in
            if let known = state.addresses[name] { return known }
            guard state.names.count < Self.most else { return nil }
            let number = Self.first + UInt32(state.names.count)
            state.names.append(name)
            state.addresses[name] = number
            return number
        }
        return number.map { number in [24, 16, 8, 0].map { UInt8(number >> $0 & 255) } }
    }

    /// The IPv6 address that stands for `name`; nil where there are too many.
    func address6(for name: String) -> [UInt8]? {
        address(for: name).map { Self.prefix + $0 }
    }

    /// The name that an address stands for; nil where it is an ordinary one.
    func name(of address: String) -> String? {
        guard let bytes = AddressText.bytes(address),
            bytes.count == 4 || bytes.starts(with: Self.prefix)
        else { return nil }
        let number = bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        return state.withLock { state in
            guard number >= Self.first, number - Self.first < UInt32(state.names.count) else {
                return nil
            }
            return state.names[Int(number - Self.first)]
        }
    }
}
