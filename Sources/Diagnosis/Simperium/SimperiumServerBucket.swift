import Dissection
import Simperium
import Wire

/// A bucket of a server as the channels on it were told.
struct SimperiumServerBucket: Sendable {
    /// A channel of a connection.
    struct Place: Hashable, Sendable {
        var connection: ConnectionID
        var channel: Int
    }

    /// A change that some have been told of and some not.
    struct Echo: Sendable {
        var sentAt: Instant
        var command: CommandEvidence
        var awaiting: Set<Place>
    }

    var places: Set<Place> = []
    /// Changes that the server got and has told nobody of, by ccid.
    private var fresh: [SimperiumName: CommandEvidence] = [:]
    var echoes: [SimperiumName: Echo] = [:]
    /// Changes that somebody was told of, the last ``most``, by ccid.
    private var told: Set<SimperiumName> = []
    private var toldInOrder: [SimperiumName] = []
    private var oldestTold = 0
    /// The object and version that each change version was given for.
    private var cvs: [SimperiumName: (key: String?, ev: Int64?, command: CommandEvidence)] = [:]
    private var ring: [SimperiumName] = []
    private var count = 0

    static let most = 20_000
    private static let mostVersions = 2_000

    /// The server got a change, which others are to be told of.
    mutating func get(_ ccid: SimperiumName, _ command: CommandEvidence) {
        guard places.count > 1, fresh.count < Self.most, !told.contains(ccid) else { return }
        fresh[ccid] = command
    }

    /// A change is told on one channel.
    ///
    /// - Returns: Whether it is the first, and others are still to be told.
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

    /// Remembers that somebody was told of a change.
    private mutating func remember(_ ccid: SimperiumName) {
        guard told.insert(ccid).inserted else { return }
        toldInOrder.append(ccid)
        guard toldInOrder.count - oldestTold > Self.most else { return }
        told.remove(toldInOrder[oldestTold])
        oldestTold += 1
        if oldestTold == Self.most {
            toldInOrder.removeFirst(oldestTold)
            oldestTold = 0
        }
    }

    /// Remembers what a change version was given for.
    ///
    /// - Returns: The telling before, if it was for something else.
    mutating func give(
        _ cv: SimperiumName, _ change: SimperiumChange<Range<Int>>, _ command: CommandEvidence
    ) -> CommandEvidence? {
        if let known = cvs[cv] {
            return known.key == change.key && known.ev == change.ev ? nil : known.command
        }
        cvs[cv] = (change.key, change.ev, command)
        if ring.count < Self.mostVersions {
            ring.append(cv)
        } else {
            cvs[ring[count % Self.mostVersions]] = nil
            ring[count % Self.mostVersions] = cv
        }
        count += 1
        return nil
    }
}
