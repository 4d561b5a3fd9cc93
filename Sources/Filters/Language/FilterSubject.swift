/// The kinds of things that a filter judges.
public enum FilterSubject: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// One HTTP request and its response.
    case exchange
    /// One Simperium command.
    case command
    /// One WebSocket message.
    case message

    /// The name, as the field `kind` has it.
    public var description: String { rawValue }
}
