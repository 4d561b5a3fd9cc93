import Dissection
import Simperium
public import Wire

/// The state of connections and channels, for all rules.
///
/// Bounded: the connections that ended first are dropped first.
public struct SessionView: Sendable {
    private(set) var connections: [ConnectionID: ConnectionView] = [:]
    private var over: [ConnectionID] = []
    private var forgotten = 0
    /// Whether any bytes of the session are known to be missing.
    public private(set) var hasGaps = false
    /// When a fault last affected the traffic.
    public private(set) var lastFaultAt: Instant?

    static let maxOver = 16_384

    /// Nothing is known yet.
    public init() {}

    /// The state of a connection.
    public subscript(connection: ConnectionID) -> ConnectionView? { connections[connection] }

    /// Whether the bytes of a connection were synthesized from an archive.
    func isSynthesized(_ connection: ConnectionID) -> Bool {
        connections[connection]?.isSynthesized ?? false
    }

    /// The state of a channel; nil where its opening was not seen.
    public func channel(_ number: Int?, of connection: ConnectionID) -> ChannelView? {
        guard let number else { return nil }
        return connections[connection]?.channels[number]
    }

    /// Whether everything was seen of a connection up to now.
    public func isWhole(_ connection: ConnectionID) -> Bool {
        connections[connection]?.coverage == .whole
    }

    /// The client of a connection: its device or client id, or else its address.
    public func client(of connection: ConnectionID?) -> String {
        guard let connection, let view = connections[connection] else { return "client" }
        return view.device ?? view.clientID ?? view.host
    }

    /// A finding with what causes it in the library of its client, where that is known.
    func withCauses(_ finding: Finding) -> Finding {
        guard finding.rule.blames == .client, finding.cause == finding.rule.cause,
            let connection = finding.connection, let library = connections[connection]?.library,
            let cause = LibraryCauses.of(finding.rule, in: library)
        else { return finding }
        var finding = finding
        finding.cause = cause
        return finding
    }

    /// Takes the next evidence.
    mutating func take(_ evidence: borrowing Evidence) {
        switch evidence {
        case .connection(let row):
            connections[row.id] = ConnectionView(row)
            return
        case .gap(let row) where row.connection == nil:
            hasGaps = true
            for id in connections.keys { connections[id]?.lose(at: row.at) }
            return
        case .fault(let row): lastFaultAt = row.at
        case .gap: hasGaps = true
        default: break
        }
        guard let id = evidence.connection else { return }
        // Most commands do not change the connection, notes and messages never do.
        switch evidence {
        case .command(let command):
            if !ConnectionView.isAbout(command), connections.index(forKey: id) != nil { return }
        case .note, .message:
            if connections.index(forKey: id) != nil { return }
        default: break
        }
        var view = connections[id] ?? ConnectionView(late: evidence.at)
        let wasOver = view.endedAt != nil
        view.take(evidence)
        connections[id] = view
        if view.endedAt != nil, !wasOver { bury(id) }
    }

    private mutating func bury(_ id: ConnectionID) {
        over.append(id)
        guard over.count - forgotten > Self.maxOver else { return }
        connections[over[forgotten]] = nil
        forgotten += 1
        if forgotten == Self.maxOver {
            over.removeFirst(forgotten)
            forgotten = 0
        }
    }
}
