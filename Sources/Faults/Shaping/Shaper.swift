import Notation
public import Wire

/// Slows down, slices and cuts what gates forward.
///
/// A value between a gate and the relay: commands go in, the same bytes come out, with the times
/// before which they may not be forwarded. Each direction is independent.
public struct Shaper: Sendable {
    private var lanes = [ShapingLane(), ShapingLane()]
    /// Cuts in whose place others came.
    private var superseded: [Firing] = []

    /// A shaper that changes nothing.
    public init() {}

    /// Whether everything passes as it arrives.
    public var isIdle: Bool { lanes.allSatisfy(\.isIdle) }

    /// Takes an action that lasts from `at` on.
    ///
    /// - Returns: Whether it is one of a shaper: `latency`, `bandwidth`, `slice`, `stall`, `cut` or
    ///   `blackout`.
    public mutating func add(_ firing: Firing, at: Instant) -> Bool {
        let action = firing.action
        let senders: [Peer] =
            switch action.text("sender") {
            case "client": [.client]
            case "server": [.server]
            default: Peer.allCases
            }
        for sender in senders {
            let index = sender.rawValue
            switch action.kind {
            case .latency:
                lanes[index].delays.append(
                    ShapingLane.Delay(
                        nanoseconds: action.duration("by") ?? 0,
                        jitter: action.duration("jitter") ?? 0,
                        draws: SplitMix64(seed: firing.draw &+ UInt64(index))))
            case .bandwidth:
                lanes[index].rate = max(1, action.integer("rate") ?? 1)
            case .slice:
                lanes[index].sliceSize = Int(clamping: max(1, action.integer("size") ?? 1))
                lanes[index].slicePause = action.duration("pause") ?? 0
            case .stall:
                lanes[index].isStalled = true
            case .cut:
                if let earlier = lanes[index].cut?.firing, !superseded.contains(earlier) {
                    superseded.append(earlier)
                }
                lanes[index].cut = ShapingLane.Cut(
                    firing: firing,
                    remaining: Int(clamping: max(0, action.integer("at") ?? 0)),
                    isReset: action.text("how") == "reset")
            case .blackout:
                if let length = action.duration("for") {
                    lanes[index].blackouts.append(
                        at.nanoseconds..<at.nanoseconds.addingReportingOverflow(length).partialValue
                    )
                } else if let window = firing.window, !lanes[index].blackouts.contains(window) {
                    lanes[index].blackouts.append(window)
                }
            default:
                return false
            }
        }
        return true
    }

    /// The cuts that are not reached any more, each returned once.
    ///
    /// Those in whose place others came, and where the connection is over, those whose bytes did not
    /// come.
    mutating func takeUnreached(isOver: Bool) -> [Firing] {
        var unreached = superseded
        superseded = []
        guard isOver else { return unreached }
        for index in lanes.indices {
            guard let firing = lanes[index].cut?.firing else { continue }
            lanes[index].cut = nil
            if !unreached.contains(firing) { unreached.append(firing) }
        }
        return unreached
    }

    /// Appends the shaped `commands` for bytes received at `at`.
    ///
    /// A cut is stated here, on `connection`, before the bytes in which it is reached.
    public mutating func shape(
        _ commands: [GateCommand], at: Instant, on connection: ConnectionID? = nil,
        into shaped: inout [GateCommand]
    ) {
        var parked: Peer?
        for command in commands {
            switch command {
            case .park(let held):
                parked = held.sender
                shaped.append(command)
            case .replace(let sender, _, _) where sender == parked:
                // It goes on when somebody says so, in one piece.
                parked = nil
                shaped.append(command)
            case .pass(let sender, let bytes):
                shape(sender, bytes, at, connection, into: &shaped) { .pass(sender: sender, $0) }
            case .make(let sender, let bytes):
                shape(sender, bytes, at, connection, into: &shaped) { .make(sender: sender, $0) }
            case .replace(let sender, let bytes, let others) where !others.isEmpty:
                // The first piece takes the place of the received bytes, and the others follow it.
                var isFirst = true
                shape(sender, others, at, connection, into: &shaped) { piece in
                    defer { isFirst = false }
                    return isFirst
                        ? .replace(sender: sender, bytes, by: piece)
                        : .make(sender: sender, piece)
                }
            case .answer(let bytes, _) where !lanes[Peer.server.rawValue].isIdle:
                let lane = Peer.server.rawValue
                if lanes[lane].isStalled { shaped.append(.stall(sender: .server)) }
                let release = lanes[lane].release(at)
                let until = lanes[lane].book(bytes.count, release: release)
                // An answer goes in its turn among requests: it waits with the client's bytes.
                hold(.client, until, at, &shaped)
                shaped.append(command)
            default:
                shaped.append(command)
            }
        }
    }

    private mutating func shape(
        _ sender: Peer, _ bytes: [UInt8], _ at: Instant, _ connection: ConnectionID?,
        into shaped: inout [GateCommand], _ make: ([UInt8]) -> GateCommand
    ) {
        let lane = sender.rawValue
        guard !lanes[lane].isIdle else {
            shaped.append(make(bytes))
            return
        }
        if lanes[lane].isStalled { shaped.append(.stall(sender: sender)) }
        let release = lanes[lane].release(at)
        let allowed = lanes[lane].cut.map { min($0.remaining, bytes.count) } ?? bytes.count
        lanes[lane].cut?.remaining -= allowed
        func state(_ cut: ShapingLane.Cut) {
            shaped.append(
                .fault(
                    cut.firing.row(
                        at: at, connection: connection, sender: sender,
                        hasTaken: allowed < bytes.count)))
        }
        if let cut = lanes[lane].cut, cut.remaining == 0, allowed == bytes.count { state(cut) }
        let size = lanes[lane].pieceSize
        var position = 0
        while position < allowed {
            let end = position + min(size, allowed - position)
            hold(sender, lanes[lane].book(end - position, release: release), at, &shaped)
            shaped.append(make(Array(bytes[position..<end])))
            position = end
        }
        guard let cut = lanes[lane].cut, cut.remaining == 0 else { return }
        for index in lanes.indices where lanes[index].cut?.firing == cut.firing {
            lanes[index].cut = nil
        }
        if allowed < bytes.count {
            state(cut)
            // Through `make`, so that what was received is in the trace in any case.
            switch make(Array(bytes[allowed...])) {
            case .pass(let sender, let rest):
                shaped.append(.replace(sender: sender, rest, by: []))
            case .replace(let sender, let came, _):
                shaped.append(.replace(sender: sender, came, by: []))
            default:
                break
            }
        }
        shaped.append(.close(isReset: cut.isReset))
    }

    private func hold(
        _ sender: Peer, _ until: Int64, _ at: Instant, _ shaped: inout [GateCommand]
    ) {
        guard until > at.nanoseconds else { return }
        shaped.append(.hold(sender: sender, until: Instant(nanoseconds: until)))
    }
}
