/// One change of a `c`.
///
/// Every field may be missing; the notes of a command that was read list which should not be.
/// `Value` is how its JSON is held: ``SimperiumCommand`` has ranges of its message,
/// ``SimperiumMessage`` values. Source: Simperium/Specification.md#changes.
public struct SimperiumChange<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The whole element in its message; empty where it was not read from one.
    public var range: Range<Int> = 0..<0
    /// Key of the object (`id`).
    public var key: String?
    /// What is done (`o`); an error has none.
    public var operation: ChangeOperation?
    /// Version the change applies to (`sv`); new objects have none.
    public var sv: Int64?
    /// Version of the object after the change (`ev`); clients send none.
    public var ev: Int64?
    /// Change version of the bucket after the change (`cv`); clients send none.
    public var cv: String?
    /// Identifiers of the change (`ccid`, `ccids`), in order; several where changes were merged.
    public var ccids: [String]
    /// The client that made it (`clientid`).
    public var clientID: String?
    /// Why the server did not apply it (`error`).
    public var error: Int?
    /// The map of operations (`v`).
    public var value: Value?
    /// The whole object (`d`).
    public var data: Value?

    /// A change with these values.
    public init(
        key: String? = nil, operation: ChangeOperation? = nil, sv: Int64? = nil,
        ev: Int64? = nil, cv: String? = nil, ccids: [String] = [], clientID: String? = nil,
        error: Int? = nil, value: Value? = nil, data: Value? = nil
    ) {
        self.key = key
        self.operation = operation
        self.sv = sv
        self.ev = ev
        self.cv = cv
        self.ccids = ccids
        self.clientID = clientID
        self.error = error
        self.value = value
        self.data = data
    }
}
