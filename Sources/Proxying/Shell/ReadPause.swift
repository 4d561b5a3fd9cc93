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
