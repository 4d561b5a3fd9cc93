/// What an interface gave, and what it could not.
public struct CaptureStatistics: Hashable, Sendable {
    /// Packets that matched the expression, including those that were dropped; on the loopback
    /// interface each counts twice, outbound and inbound, and one of the two is returned.
    public internal(set) var received: Int64 = 0
    /// Packets dropped since the buffer was full: this program was too slow.
    public internal(set) var droppedByKernel: Int64 = 0
    /// Packets that the interface or its driver dropped, of this and all other programs.
    public internal(set) var droppedByInterface: Int64 = 0

    /// Nothing.
    public init() {}
}
