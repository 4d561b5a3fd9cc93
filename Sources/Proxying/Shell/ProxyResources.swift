import Framing
import NIOCore

/// What all connections of one proxy share.
struct ProxyResources: Sendable {
    /// The file descriptors they may have.
    let descriptors = DescriptorBudget()
    /// The sockets that lead to the proxy itself.
    let ownSockets = OwnSockets()
    /// What upstream proxies asked for.
    let upstreams = UpstreamMemory()
    /// The names of servers that are being looked up.
    let names = NameLookups()
    /// What is known of clients and their TLS.
    let clients = ClientList()
    /// What was reported to the user already.
    let notices = Notices()
    /// The memory for what they hold of their peers' bytes.
    let memory: MemoryBudget
    /// What each event loop is busy with.
    let activities: [ObjectIdentifier: LoopActivity]
    /// The heads that each event loop read lately.
    private let knownHeads: [ObjectIdentifier: NIOLoopBoundBox<HTTPKnownHeads>]

    /// For connections on these event loops that may hold `bytes` together.
    init(loops: some Sequence<any EventLoop>, bytes: Int) {
        memory = MemoryBudget(limit: bytes)
        activities = Dictionary(
            loops.map { (ObjectIdentifier($0), LoopActivity()) }, uniquingKeysWith: { $1 })
        knownHeads = Dictionary(
            loops.map {
                let heads = NIOLoopBoundBox.makeBoxSendingValue(HTTPKnownHeads(), eventLoop: $0)
                return (ObjectIdentifier($0), heads)
            }, uniquingKeysWith: { $1 })
    }

    /// What an event loop is busy with.
    func activity(of loop: any EventLoop) -> LoopActivity {
        activities[ObjectIdentifier(loop)] ?? LoopActivity()
    }

    /// The heads that an event loop read lately; asked on it.
    func knownHeads(of loop: any EventLoop) -> HTTPKnownHeads {
        knownHeads[ObjectIdentifier(loop)]?.value ?? HTTPKnownHeads()
    }
}
