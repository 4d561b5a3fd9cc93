/// Names a request that was added, in order to cancel it.
public struct RequestHandle: Hashable, Sendable {
    /// Unique in the process.
    let id: UInt64
}
