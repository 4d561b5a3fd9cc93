/// How long reassembly waits for bytes that are missing, and the maximum that it keeps.
public struct StreamLimits: Hashable, Sendable {
    /// The maximum number of tracked connections, 100,000: about 60 MB besides the bytes that wait.
    ///
    /// To make room, ended ones are evicted first, and then the one that was idle for longest is
    /// closed as ``StreamEvent/Closing/idle``.
    public var connections = 100_000
    /// The maximum memory for what waits over all connections: 64 MiB.
    ///
    /// Each segment that waits counts as its payload and ``overhead``.
    public var waiting = 64 << 20
    /// The maximum memory for what waits of one direction of a connection: 16 MiB.
    public var waitingOfDirection = 16 << 20
    /// The maximum number of pieces that wait of one direction of a connection, 16,384.
    public var piecesOfDirection = 16_384
    /// How many segments of a connection are held back to find its beginning, 8.
    ///
    /// Fewer are where both SYNs are seen, and where ``graceNanoseconds`` pass.
    public var held = 8
    /// How many more segments of a connection may come before bytes that the other end has
    /// acknowledged are taken for missing, 64: captures have segments out of order.
    public var graceSegments: Int64 = 64
    /// How long after an acknowledgment the bytes count as missing nevertheless, by the clock of
    /// the capture, in nanoseconds, one second.
    public var graceNanoseconds: Int64 = 1_000_000_000
    /// The maximum memory for what waits for preceding bytes where the other direction was never
    /// captured, and so does not acknowledge them: 4 MiB.
    public var unacknowledged = 4 << 20
    /// How long bytes wait for those in front of them where the other end was never seen, by the
    /// clock of the capture, in nanoseconds, ten seconds.
    public var unacknowledgedNanoseconds: Int64 = 10_000_000_000
    /// The maximum number of endpoints kept as servers to guess the roles of other connections,
    /// 4,096.
    public var servers = 4096

    /// What a segment that waits costs beside its payload, in bytes.
    public static let overhead = 128
    /// How far from what was delivered last a segment may begin, in bytes, 1 GiB: the largest
    /// window there is (RFC 7323, 2.3).
    static let window: Position = 1 << 30
    /// How far from the last sequence number a RST or a SYN may be to belong to a connection, in
    /// bytes, 16 MiB.
    static let reach: Position = 16 << 20
    /// The number of places of missing bytes that a direction keeps to recognise late segments, 8.
    static let lostPlaces = 8
    /// The number of acknowledgments of missing bytes that a direction keeps, 8.
    static let marks = 8

    /// The limits that the properties state.
    public init() {}
}
