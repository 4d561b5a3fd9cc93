import Dissection
import Simperium
import Wire

/// A bucket of a server as its channels received it.
struct SimperiumServerBucket: Sendable {
    /// A channel of a connection.
    struct Place: Hashable, Sendable {
        var connection: ConnectionID
        var channel: Int
    }

    /// A change that some channels have received and some not.
    struct Echo: Sendable {
        var sentAt: Instant
        var command: CommandEvidence
        var awaiting: Set<Place>
    }

    /// The newest version of an object that was sent.
    struct Head: Sendable {
        let ev: Int64
        let command: CommandEvidence
    }

    var places: Set<Place> = []
    /// The newest versions of the objects that changed while a channel was open, so that no removal
    /// was missed.
    private(set) var heads: [SimperiumName: Head] = [:]
    /// Changes that the server received and has not sent to any channel, by ccid.
    private var fresh: [SimperiumName: CommandEvidence] = [:]
    var echoes: [SimperiumName: Echo] = [:]
    /// Changes that were sent to a channel, the last ``most``, by ccid.
    private var reported: Set<SimperiumName> = []
    private var reportedInOrder: [SimperiumName] = []
    private var oldestReported = 0
    /// The object and version that each change version was given for.
    private var cvs: [SimperiumName: (key: String?, ev: Int64?, command: CommandEvidence)] = [:]
    private var ring: [SimperiumName] = []
    private var count = 0

    static let most = 20_000
    private static let maxVersions = 2_000

    /// The server received a change, which is to be sent to others.
    mutating func get(_ ccid: SimperiumName, _ command: CommandEvidence) {
        guard places.count > 1, fresh.count < Self.most, !reported.contains(ccid) else { return }
        fresh[ccid] = command
    }

    /// A change is sent on one channel.
    ///
    /// - Returns: Whether it is the first, and others have not received it yet.
    mutating func tell(
        _ ccid: SimperiumName, _ change: SimperiumChange<Range<Int>>, at place: Place,
        _ command: CommandEvidence
    ) -> Bool {
        guard places.count > 1 else { return false }
        if change.error == nil { remember(ccid) }
        if !echoes.isEmpty, let index = echoes.index(forKey: ccid) {
            echoes.values[index].awaiting.remove(place)
            if echoes.values[index].awaiting.isEmpty { echoes.remove(at: index) }
            return false
        }
        guard !fresh.isEmpty, let sent = fresh.removeValue(forKey: ccid), change.error == nil
        else { return false }
        var awaiting = places
        awaiting.remove(place)
        guard !awaiting.isEmpty, echoes.count < Self.most else { return false }
        echoes[ccid] = Echo(sentAt: sent.row.at, command: command, awaiting: awaiting)
        return true
    }

    /// Records that a change was sent to a channel.
    private mutating func remember(_ ccid: SimperiumName) {
        guard reported.insert(ccid).inserted else { return }
        reportedInOrder.append(ccid)
        guard reportedInOrder.count - oldestReported > Self.most else { return }
        reported.remove(reportedInOrder[oldestReported])
        oldestReported += 1
        if oldestReported == Self.most {
            reportedInOrder.removeFirst(oldestReported)
            oldestReported = 0
        }
    }

    /// Records the version that a change leads to.
    mutating func lead(
        _ key: SimperiumName, _ change: SimperiumChange<Range<Int>>, _ command: CommandEvidence
    ) {
        guard change.operation == .modify, let ev = change.ev else {
            heads[key] = nil
            return
        }
        let known = heads[key]
        guard known.map({ $0.ev < ev }) ?? (heads.count < Self.most) else { return }
        heads[key] = Head(ev: ev, command: command)
    }

    /// Records the change of a change version.
    ///
    /// - Returns: The earlier use, if it was for another change.
    mutating func give(
        _ cv: SimperiumName, _ change: SimperiumChange<Range<Int>>, _ command: CommandEvidence
    ) -> CommandEvidence? {
        if let known = cvs[cv] {
            return known.key == change.key && known.ev == change.ev ? nil : known.command
        }
        cvs[cv] = (change.key, change.ev, command)
        if ring.count < Self.maxVersions {
            ring.append(cv)
        } else {
            cvs[ring[count % Self.maxVersions]] = nil
            ring[count % Self.maxVersions] = cv
        }
        count += 1
        return nil
    }
}
