internal import Dissection
internal import Wire

/// The counts of what a session has written to its trace so far.
public struct TraceTotals: Hashable, Sendable {
    /// Connections.
    public var connections: Int64 = 0
    /// Exchanges that ended.
    public var exchanges: Int64 = 0
    /// WebSocket messages.
    public var messages: Int64 = 0
    /// Simperium commands.
    public var commands: Int64 = 0
    /// Chunks in the trace.
    public var chunks: Int64 = 0
    /// Bytes of these chunks, as received.
    public var bytes: Int64 = 0
    /// Faults that were injected.
    public var faults: Int64 = 0
    /// Broken rules found.
    public var findings: Int64 = 0
    /// Notes about bytes.
    public var notes: Int64 = 0
    /// Gaps, apart from what was evicted.
    public var gaps: Int64 = 0
    /// Bytes that these gaps count.
    public var missingBytes: Int64 = 0
    /// Packets kept as they were captured.
    public var packets: Int64 = 0
    /// Bytes of chunks that were evicted to keep the trace within its bounds.
    public var evictedBytes: Int64 = 0
    /// Chunks that were evicted.
    public var evictedChunks: Int64 = 0
    /// Records that arrived after the end or could not be kept at all.
    public var refused: Int64 = 0

    /// Nothing yet.
    public init() {}

    mutating func count(_ record: borrowing Record) {
        switch record {
        case .connection: connections += 1
        case .chunk(let chunk):
            chunks += 1
            bytes += Int64(chunk.bytes.count)
        case .gap(let gap):
            gaps += 1
            missingBytes += gap.count
        case .fault: faults += 1
        case .finding: findings += 1
        case .packet: packets += 1
        case .leg, .event, .mark, .secret: break
        }
    }

    mutating func count(_ row: borrowing DerivedRow) {
        switch row {
        case .exchange(let exchange): if exchange.outcome != .open { exchanges += 1 }
        case .message: messages += 1
        case .command: commands += 1
        case .note: notes += 1
        case .body, .part, .openRosa, .caseBlock, .frame, .change: break
        }
    }
}
