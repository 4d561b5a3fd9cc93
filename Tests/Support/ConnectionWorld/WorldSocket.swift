import Wire

@testable import Proxying

/// One leg as the proxy's shell has it: a bounded pipe in each direction.
struct WorldSocket {
    enum State: Hashable {
        /// The server has not accepted yet.
        case connecting
        case open
        /// TLS is being agreed on.
        case handshaking
        /// The proxy closes it as soon as the peer has taken everything.
        case closing
        /// It is gone, and the relay has not been told yet.
        case dead(isReset: Bool)
    }

    let leg: LegID
    let address: ServerAddress?
    var state: State
    /// From the peer, not read.
    var inbound = ByteQueue()
    var hasPeerEnded = false
    /// Whether the peer has closed its socket, so that what comes is answered by a reset.
    var isPeerDeaf = false
    /// Whether the relay was told that the peer has ended.
    var isInputClosed = false
    /// For the peer, not taken.
    var outbound = ByteQueue()
    var isOutputClosed = false
    var hasPeerSeenEnd = false
    var isPaused = false
    var isWritable = true
    var server: ServerModel?

    /// Most bytes of a peer that are on their way.
    static let capacity = 60_000

    var isDead: Bool { if case .dead = state { true } else { false } }
    /// Whether bytes can come from the peer.
    var canHear: Bool { !isDead && state != .connecting }

    /// As the proxy's channels: much that is not taken is too much until little of it is left.
    mutating func updateWritable() {
        if outbound.count > 64 << 10 { isWritable = false }
        if outbound.count < 32 << 10 { isWritable = true }
    }

    /// Takes what the proxy sends.
    mutating func write(_ bytes: [UInt8]) {
        guard !isDead, state != .closing, !isOutputClosed else { return }
        if isPeerDeaf {
            state = .dead(isReset: true)
            return
        }
        outbound.append(bytes)
        updateWritable()
    }

    /// The proxy sends nothing more.
    mutating func end() {
        guard !isDead, state != .connecting, !isOutputClosed else { return }
        isOutputClosed = true
        settle()
    }

    /// The proxy closes it.
    mutating func close(isReset: Bool) {
        guard !isDead else { return }
        if isReset || outbound.isEmpty {
            state = .dead(isReset: false)
        } else {
            state = .closing
        }
    }

    /// Looks whether it is over.
    mutating func settle() {
        guard !isDead, outbound.isEmpty else { return }
        if state == .closing || isOutputClosed && isInputClosed {
            state = .dead(isReset: false)
        }
    }
}
