/// Accepts what is to be written to a trace, from any thread, without blocking.
///
/// The proxy's only interface to the trace.
public protocol RecordSink: Sendable {
    /// Takes records that follow each other.
    ///
    /// Never blocks and never drops. When the answer is false the caller stops reading from its
    /// peers until ``whenRoom(_:)`` calls back.
    ///
    /// - Returns: Whether there is room for more.
    func put(_ records: consuming [Record]) -> Bool

    /// Calls `resume` once, soon, when there is room again, from any thread.
    func whenRoom(_ resume: @escaping @Sendable () -> Void)

    /// A unique connection number.
    func nextConnection() -> ConnectionID

    /// A unique leg number.
    func nextLeg() -> LegID

    /// The session's clock.
    func now() -> Instant
}
