/// How long reassembly waits for bytes that are missing, and how much it keeps at most.
public struct StreamLimits: Hashable, Sendable {
    /// Most connections that are known at once, 100,000: about 60 MB beside the bytes that wait.
    ///
    /// To make room, those that are over are forgotten first, and then the one that was quiet for
    /// longest is closed as ``StreamEvent/Closing/idle``.
    public var connections = 100_000
    /// Most memory for what waits over all connections, in bytes, 64 MiB.
    ///
    /// Each segment that waits counts as its payload and ``overhead``.
    public var waiting = 64 << 20
    /// Most memory for what waits of one direction of a connection, in bytes, 16 MiB.
    public var waitingOfDirection = 16 << 20
    /// Most pieces that wait of one direction of a connection, 16,384.
    public var piecesOfDirection = 16_384
    /// How many segments of a connection are held back to find its beginning, 8.
    ///
    /// Fewer are where both SYNs are seen, and where ``graceNanoseconds`` pass.
    public var held = 8
    /// How many more segments of a connection may come before bytes that the other end has
    /// acknowledged are taken for missing, 64: captures have segments out of order.
    public var graceSegments: Int64 = 64
    /// How long after an acknowledgment the bytes are taken for missing all the same, by the
    /// clock of the capture, in nanoseconds, one second.
    public var graceNanoseconds: Int64 = 1_000_000_000
    /// Most memory for what waits for bytes in front of it where the other end was never seen, and
    /// so cannot acknowledge them, in bytes, 4 MiB.
    public var unacknowledged = 4 << 20
    /// How long bytes wait for those in front of them where the other end was never seen, by the
    /// clock of the capture, in nanoseconds, ten seconds.
    public var unacknowledgedNanoseconds: Int64 = 10_000_000_000
    /// Most ends that are remembered as servers to guess the roles of other connections, 4,096.
    public var servers = 4096

    /// What a segment that waits costs beside its payload, in bytes.
    public static let overhead = 128
    /// How far from what was delivered last a segment may begin, in bytes, 1 GiB: the largest
    /// window there is (RFC 7323, 2.3).
    static let window: Position = 1 << 30
    /// How far from the last sequence number a RST or a SYN may be to belong to a connection, in
    /// bytes, 16 MiB.
    static let reach: Position = 16 << 20
    /// How many places of missing bytes a direction remembers to know what comes too late, 8.
    static let lostPlaces = 8
    /// How many of the acknowledgments that came with missing bytes a direction remembers, 8.
    static let marks = 8

    /// The limits that the properties state.
    public init() {}
}
