import Platform
import Synchronization

/// The file descriptors that connections may have, so that accepting and connecting never fail for
/// lack of them.
///
/// Each client that is served has two from the start, its own and its server's, and one more for
/// each further server. Clients beyond that are answered with a refusal, a few at a time; beyond
/// these no client is accepted until one has disconnected.
final class DescriptorBudget: Sendable {
    /// The decision of the budget about an accepted client.
    enum Verdict: Hashable {
        /// It has its two descriptors.
        case serve
        /// There are none for its server.
        case refuse
    }

    private struct State {
        var promised = 0
        var refusing = 0
        var refused = 0
        var refusals: Set<ObjectIdentifier> = []
        var isGateShut = false
    }

    /// How many of them a client is served with from the start.
    static let perClient = 2
    /// How many clients are refused at the same time.
    static let refusedAtOnce = 8

    /// What the system allows this process.
    let limit: Int
    /// What connections may have of it, without those that are refused.
    let capacity: Int
    private let state = Mutex(State())

    /// A budget for a process that has `used` descriptors before its first connection.
    init(limit: Int, used: Int) {
        self.limit = limit
        // Databases, the control interface, name resolution and refusals need some at any time.
        let reserve = min(64, max(16, limit / 8)) + Self.refusedAtOnce
        capacity = max(Self.perClient, limit - used - reserve)
    }

    /// The descriptor limit of this process, raised as far as the system allows, and the number in
    /// use.
    convenience init() {
        // More than there are ports to connect from is of no use, and programs that are started inherit
        // it: some close all descriptors that there might be, one by one.
        self.init(limit: OpenFiles.raiseLimit(to: 1 << 16), used: OpenFiles.count() ?? 32)
    }

    /// A client was accepted: whether it can be served.
    ///
    /// - Returns: The verdict, and how many were refused so far.
    func admit(_ client: ObjectIdentifier) -> (verdict: Verdict, refused: Int) {
        state.withLock { state in
            if state.promised + Self.perClient <= capacity {
                state.promised += Self.perClient
                return (.serve, state.refused)
            }
            state.refusing += 1
            state.refused += 1
            state.refusals.insert(client)
            return (.refuse, state.refused)
        }
    }

    /// Whether this client is refused; called once.
    func takeRefusal(of client: ObjectIdentifier) -> Bool {
        state.withLock { $0.refusals.remove(client) != nil }
    }

    /// A client disconnected, with all its servers.
    ///
    /// - Returns: Whether the gate is shut, and may open now.
    func leave(_ verdict: Verdict) -> Bool {
        state.withLock { state in
            switch verdict {
            case .serve: state.promised -= Self.perClient
            case .refuse: state.refusing -= 1
            }
            return state.isGateShut && state.refusing < Self.refusedAtOnce
        }
    }

    /// Closes the gate where no further client can be refused; returns whether it is closed.
    func shutGateIfFull() -> Bool {
        state.withLock { state in
            if state.refusing >= Self.refusedAtOnce { state.isGateShut = true }
            return state.isGateShut
        }
    }

    /// Shuts the gate.
    func shutGate() { state.withLock { $0.isGateShut = true } }

    /// Opens the gate where a further client can at least be refused; whether it is open.
    func openGate() -> Bool {
        state.withLock { state in
            if state.refusing < Self.refusedAtOnce { state.isGateShut = false }
            return !state.isGateShut
        }
    }

    /// One more descriptor for a connection that has more than two; whether there is one.
    func takeOne() -> Bool {
        state.withLock { state in
            guard state.promised < capacity else { return false }
            state.promised += 1
            return true
        }
    }

    /// Gives one back that ``takeOne()`` gave.
    func giveOne() {
        state.withLock { $0.promised -= 1 }
    }

    /// The number of clients that were refused.
    var refused: Int { state.withLock { $0.refused } }

    /// Why a client or a server gets nothing.
    var detail: String {
        "out of file descriptors: this process may have \(limit), enough for \(capacity / Self.perClient) connections; start tapedeck after `ulimit -n` with a larger number"
    }
}
