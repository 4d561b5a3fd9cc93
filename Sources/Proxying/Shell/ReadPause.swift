import NIOCore
import Wire

/// Why a peer is not read; it is read again once none of these holds.
struct ReadPause: OptionSet {
    let rawValue: UInt8

    /// The trace has no room for more records.
    static let traceFull = ReadPause(rawValue: 1)
    /// All connections together hold more than they may.
    static let overBudget = ReadPause(rawValue: 2)
    /// The relay holds as much of the peer's bytes as it may.
    static let relayHolds = ReadPause(rawValue: 4)
    /// Faults hold as much of the peer's bytes as they may.
    static let faultsHold = ReadPause(rawValue: 8)
}

extension ProxyConnection {
    /// Stops the reading of both peers for a reason of all.
    ///
    /// - Returns: Whether it was not stopped for that reason.
    func pause(_ reason: ReadPause) -> Bool {
        guard pauses[0].isDisjoint(with: reason) else { return false }
        for index in pauses.indices { pauses[index].formUnion(reason) }
        return true
    }

    /// A reason of all to stop reading is over.
    func resume(_ reason: ReadPause) {
        for index in pauses.indices { pauses[index].subtract(reason) }
    }

    /// Reads from each peer only while its counterpart takes what it gets and nothing else stops it.
    func updateReading() {
        let isClientWritable = lines[clientLeg]?.channel.isWritable ?? true
        var areServersWritable = true
        for (leg, line) in zip(lines.legs, lines.all) where leg != clientLeg {
            line.handler.setPaused(!isClientWritable || !pauses[Peer.server.rawValue].isEmpty)
            if !line.channel.isWritable { areServersWritable = false }
        }
        isSomebodyBehind = !isClientWritable || !areServersWritable
        lines[clientLeg]?.handler.setPaused(
            !areServersWritable || !pauses[Peer.client.rawValue].isEmpty)
    }
}
