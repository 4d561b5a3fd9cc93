public import Wire

/// A rule whose filter matched and whose schedule applies: an action to be carried out.
public struct Firing: Hashable, Sendable {
    /// Name of the rule.
    public let rule: String
    /// What is to be done.
    public let action: FaultAction
    /// Value of the scope that occurrences are counted in: empty where over all.
    public let scope: String
    /// Ordinal of the event among those of this scope that the filter matched, from 1.
    public let occurrence: Int64
    /// Derived from seed, rule, scope and occurrence alone; seeds the random values of the action.
    public let draw: UInt64
    /// How much later than the event it is to be carried out, in nanoseconds, at least 0.
    public let afterNanoseconds: Int64
    /// The window of the schedule in nanoseconds of the session, for `blackout`, which lasts as long.
    public let window: Range<Int64>?

    /// A firing with these values.
    public init(
        rule: String, action: FaultAction, scope: String, occurrence: Int64, draw: UInt64,
        afterNanoseconds: Int64 = 0, window: Range<Int64>? = nil
    ) {
        self.rule = rule
        self.action = action
        self.scope = scope
        self.occurrence = occurrence
        self.draw = draw
        self.afterNanoseconds = afterNanoseconds
        self.window = window
    }
}

/// Whose event it is, for schedules that count by connection, by client or by key.
public struct FaultScope: Hashable, Sendable {
    /// The connection.
    public var connection: ConnectionID
    /// Device id, Simperium client id or else the address of the client without port.
    public var client: String
    /// Key of the object, or method and path of the request.
    public var key: String

    /// A scope with these values.
    public init(connection: ConnectionID, client: String, key: String) {
        self.connection = connection
        self.client = client
        self.key = key
    }
}
