/// A change that the server has not acknowledged, as a client names it in its ``IndexState``.
public struct PendingChange: Hashable, Sendable {
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
