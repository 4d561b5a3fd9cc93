import Simperium
import Wire

/// Who is at the other end of each connection, and which channel is which bucket.
///
/// Bounded: the oldest connections are dropped first.
struct ClientDirectory {
    /// The client identity of a connection.
    struct Entry {
        var address: String
        var openedAt: Instant
        /// Device id or Simperium client id, the first that was seen.
        var id: String?
        var buckets: [Int: String] = [:]
        /// When each channel was authorised last.
        var authorised: [Int: Instant] = [:]
        /// Number of the last heartbeat of the client.
        var heartbeat: Int64?
    }

    /// The ids that were seen at an address.
    private enum Inhabitants {
        case one(String)
        case several
    }

    private var inhabitants: [String: Inhabitants] = [:]
    private var entries: [ConnectionID: Entry] = [:]
    private var order: [ConnectionID] = []
    private var forgotten = 0

    private static let maxConnections = 65_536
    private static let maxChannels = 4_096

    /// The client identity of a connection.
    subscript(connection: ConnectionID) -> Entry? { entries[connection] }

    /// Notes a connection.
    mutating func open(_ connection: ConnectionID, _ client: String, at: Instant) {
        guard entries[connection] == nil else { return }
        entries[connection] = Entry(address: Self.host(of: client), openedAt: at)
        order.append(connection)
        guard order.count - forgotten > Self.maxConnections else { return }
        entries[order[forgotten]] = nil
        forgotten += 1
        if forgotten == Self.maxConnections {
            order.removeFirst(forgotten)
            forgotten = 0
        }
    }

    /// Notes what the client of a connection calls itself.
    mutating func identify(_ connection: ConnectionID, as id: String) {
        guard let entry = entries[connection] else { return }
        if entry.id == nil { entries[connection]?.id = id }
        switch inhabitants[entry.address] {
        case nil where inhabitants.count < Self.maxConnections:
            inhabitants[entry.address] = .one(id)
        case .one(let other) where other != id: inhabitants[entry.address] = .several
        default: break
        }
    }

    /// Notes the number of a client's heartbeat.
    mutating func beat(_ number: Int64, on connection: ConnectionID) {
        entries[connection]?.heartbeat = number
    }

    /// Notes the bucket of a channel.
    mutating func name(_ channel: Int, _ bucket: String, on connection: ConnectionID) {
        guard let known = entries[connection]?.buckets else { return }
        if known.count < Self.maxChannels || known[channel] != nil {
            entries[connection]?.buckets[channel] = bucket
        }
    }

    /// Notes that the server accepted the token of a channel.
    mutating func authorise(_ channel: Int, at: Instant, on connection: ConnectionID) {
        guard let known = entries[connection]?.authorised else { return }
        if known.count < Self.maxChannels || known[channel] != nil {
            entries[connection]?.authorised[channel] = at
        }
    }

    /// When the channel of a connection was authorised last; nil where it was not.
    func authorised(_ channel: Int?, on connection: ConnectionID) -> Instant? {
        channel.flatMap { entries[connection]?.authorised[$0] }
    }

    /// The client of a connection: what it calls itself, or else what the only one at its address
    /// does, or else that address.
    ///
    /// `device` is the value of an exchange, which takes precedence over those of others on the
    /// connection.
    func client(of connection: ConnectionID?, device: String? = nil) -> ClientName {
        if let device { return .id(device) }
        guard let entry = connection.flatMap({ entries[$0] }) else { return .address("") }
        if let id = entry.id { return .id(id) }
        if case .one(let id) = inhabitants[entry.address] { return .id(id) }
        return .address(entry.address)
    }

    /// All names that the client of a connection may have had while less was known.
    func names(of connection: ConnectionID, device: String? = nil) -> [ClientName] {
        let name = client(of: connection, device: device)
        guard let address = entries[connection]?.address, name != .address(address) else {
            return [name]
        }
        return [name, .address(address)]
    }

    /// An address without its port.
    private static func host(of address: String) -> String {
        guard let colon = address.lastIndex(of: ":") else { return address }
        return String(address[..<colon])
    }
}

/// The identity of a client.
enum ClientName: Hashable {
    /// It identified itself.
    case id(String)
    /// It did not identify itself, and is identified by its address.
    case address(String)
}
