/// What a server did for a client, for those who watch it.
public enum ServedEvent: Hashable, Sendable {
    /// A request was answered: its method and target as sent, the status, and how long that took.
    case request(method: String, target: String, status: Int, nanoseconds: Int64)
    /// A WebSocket was opened with this target.
    case socket(target: String)
}
