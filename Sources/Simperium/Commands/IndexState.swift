/// The payload of a client's `index`: its state of a bucket.
///
/// Source: Simperium WebSocket API, "Remote index".
public struct IndexState: Hashable, Sendable {
    /// Change version the client is at.
    public var current: String?
    /// Keys and versions the client has.
    public var entries: [IndexPage.Entry]
    /// Changes that the server has not acknowledged.
    public var pending: [Pending]
    /// Bytes of `extra` in the message.
    public var extra: Range<Int>?

    /// A change that the server has not acknowledged.
    public struct Pending: Hashable, Sendable {
        /// Key of the object.
        public var key: String?
        /// Version the change applies to.
        public var sv: Int64?
        /// Identifier of the change.
        public var ccid: String?

        /// A pending change with these values.
        public init(key: String?, sv: Int64?, ccid: String?) {
            self.key = key
            self.sv = sv
            self.ccid = ccid
        }
    }

    /// A state with these values.
    public init(
        current: String? = nil, entries: [IndexPage.Entry] = [], pending: [Pending] = [],
        extra: Range<Int>? = nil
    ) {
        self.current = current
        self.entries = entries
        self.pending = pending
        self.extra = extra
    }
}
