/// The payload of a client's `index`: its state of a bucket.
///
/// `Value` is how its JSON is held, as in ``SimperiumChange``.
/// Source: Simperium/Specification.md#remote-index.
public struct IndexState<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Change version the client is at.
    public var current: String?
    /// Keys and versions the client has.
    public var entries: [IndexPage<Value>.Entry]
    /// Changes that the server has not acknowledged.
    public var pending: [PendingChange]
    /// Further data of the client (`extra`).
    public var extra: Value?

    /// A state with these values.
    public init(
        current: String? = nil, entries: [IndexPage<Value>.Entry] = [],
        pending: [PendingChange] = [],
        extra: Value? = nil
    ) {
        self.current = current
        self.entries = entries
        self.pending = pending
        self.extra = extra
    }
}
