import Wire

@testable import Proxying

/// What a world may contain.
package struct WorldFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// CONNECT inside a tunnel.
    package static let nestedTunnels = WorldFeatures(rawValue: 1)
    /// CONNECT to the server itself.
    package static let connectToServer = WorldFeatures(rawValue: 2)
    /// Heads that are longer than what is held of them.
    package static let hugeHeads = WorldFeatures(rawValue: 4)
    /// Peers that do not keep to the protocol.
    package static let oddPeers = WorldFeatures(rawValue: 8)
    /// Rules.
    package static let rules = WorldFeatures(rawValue: 16)
    /// Bytes that are read have to be in the trace, whatever becomes of the connection.
    package static let wholeTrace = WorldFeatures(rawValue: 32)
    /// What is in the trace and was sent to nobody has to be explained there.
    package static let reasons = WorldFeatures(rawValue: 64)
    /// Hosts that are not recorded, or whose TLS is left alone.
    package static let patterns = WorldFeatures(rawValue: 128)
    /// Nothing is sent behind an end.
    package static let silentEnds = WorldFeatures(rawValue: 256)

    /// Rows are the same however what peers sent was cut.
    package static let otherCuts = WorldFeatures(rawValue: 512)

    /// What the proxy counts as held is what is held.
    package static let counts = WorldFeatures(rawValue: 1_024)
    /// Polite peers get everything before anybody ends.
    package static let liveness = WorldFeatures(rawValue: 2_048)
    /// Every exchange has an outcome at the end.
    package static let outcomes = WorldFeatures(rawValue: 4_096)

    /// Clients that name their server by SOCKS, or whose connections are redirected.
    package static let ways = WorldFeatures(rawValue: 8_192)

    /// Everything but ``ways``, without which chance decides as it did before there were any.
    package static let all = WorldFeatures(rawValue: 0xFFFF_FFFF).subtracting(.ways)
}

/// How the client of a world comes to its server.
enum WorldWay: Hashable, CaseIterable {
    /// By the proxy's own protocol, or as to the server itself.
    case usual
    /// By SOCKS of these versions.
    case socks4, socks4a, socks5, socks5WithPassword
    /// Not at all: the system redirects its connection.
    case redirected

    /// Whether it is one of SOCKS.
    var isSOCKS: Bool { self != .usual && self != .redirected }

    /// What a client says of SOCKS for a server, in the pieces after each of which it is answered.
    func negotiation(_ server: ServerAddress) -> [[UInt8]] {
        let port = [UInt8(server.port >> 8), UInt8(server.port & 255)]
        let name = Array(server.host.utf8)
        let request = [5, 1, 0, 3, UInt8(name.count)] + name + port
        switch self {
        case .usual, .redirected: return []
        case .socks4: return [[4, 1] + port + [10, 1, 2, 3, 0x75, 0]]
        case .socks4a: return [[4, 1] + port + [0, 0, 0, 1, 0x75, 0] + name + [0]]
        case .socks5: return [[5, 1, 0], request]
        case .socks5WithPassword: return [[5, 1, 2], [1, 1, 0x61, 1, 0x62], request]
        }
    }

    /// What a client of SOCKS gets when its server is connected.
    var granted: [UInt8] {
        switch self {
        case .socks4, .socks4a: [0, 90, 0, 0, 0, 0, 0, 0]
        default: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        }
    }
}

/// How one connection of a world is, which does not change.
struct WorldPlan: Hashable {
    var features: WorldFeatures
    /// Whether both sides keep to the protocol, so that everything has to be answered.
    var isPolite: Bool
    var settings: RelaySettings
    /// Hosts that a client of a forward proxy asks for.
    var hosts: [String]
    /// How many things the client says at most.
    var most: Int
    /// Most requests sent in one go.
    var pipelined: Int
    /// Most bytes of content, of what is no HTTP, and of what is on its way in one direction.
    var largest: Int
    /// Most bytes that one read gets.
    var reads: Int
    var startsWithTLS: Bool
    var refusesUpgrades: Bool
    /// How the client comes to its server, and which that is where it does not say so in HTTP.
    var way = WorldWay.usual
    var server = ServerAddress(host: "a.example", port: 443, isTLS: false)

    var isForward: Bool { settings.mode == .forward }
    /// Whether what passes may be missing in the trace.
    var mayPassUnrecorded: Bool { !settings.only.isEmpty || !settings.passthrough.isEmpty }

    /// Whether heads may be too long, which takes too many steps where little is read at once.
    var hasHugeHeads: Bool { features.contains(.hugeHeads) && reads >= 50 }
    /// Whether what passes may be rewritten and missing in the trace, so that nobody can tell.
    var isWeak: Bool { !settings.only.isEmpty }

    init(_ features: WorldFeatures, hasRules: Bool, _ chance: inout Chance) {
        self.features = features
        isPolite = !hasRules && (!features.contains(.oddPeers) || chance.percent(40))
        let origin = ServerAddress(host: "origin.example", port: 80, isTLS: chance.percent(20))
        settings = RelaySettings(
            mode: chance.percent(50) ? .forward : .reverse(origin), keepsHost: chance.percent(20))
        if features.contains(.patterns), chance.percent(15) {
            settings.passthrough = [HostPattern("c.example")]
        }
        if features.contains(.patterns), chance.percent(10) {
            settings.only = [
                HostPattern(chance.pick(["a.example", "origin.example", "no.example"]))
            ]
        }
        hosts = Array(Speech.hosts.prefix(1 + chance.below(Speech.hosts.count)))
        reads = chance.pick([1, 7, 50, 700, 32_768, 32_768])
        largest = reads == 1 ? 100 : reads <= 50 ? 1_000 : 40_000
        most = reads < 50 ? 6 : 30
        pipelined = reads < 50 ? 5 : chance.percent(5) ? 2_000 : 40
        startsWithTLS = chance.percent(10)
        refusesUpgrades = chance.percent(40)
        if case .forward = settings.mode { startsWithTLS = false }
        guard features.contains(.ways) else { return }
        way = chance.pick(WorldWay.allCases)
        guard way != .usual else { return }
        startsWithTLS = false
        settings.mode = way == .redirected ? .transparent : .forward
        if way == .socks5WithPassword {
            settings.credentials = SOCKSCredentials(user: "a", password: "b")
        }
        let host =
            way == .socks4 ? "10.1.2.3" : chance.pick(["a.example", "b.example", "c.example"])
        server = ServerAddress(host: host, port: chance.pick([80, 443]), isTLS: false)
    }
}
