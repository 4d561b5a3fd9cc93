/// The payload of a server's `e`: `KEY.VERSION`, a line feed, and JSON or `?`.
///
/// `Value` is how its JSON is held, as in ``SimperiumChange``.
public struct EntityReply<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Key of the object; may hold dots.
    public var key: String
    /// Version of the object.
    public var version: Int64
    /// What the server has.
    public var content: Content

    /// What the server has of an entity.
    public enum Content: Hashable, Sendable {
        /// Nothing: there is no such entity, or the version no longer exists.
        case missing
        /// Its data.
        case data(Value)
        /// JSON without `data`.
        case other(Value)
    }

    /// A reply with these values.
    public init(key: String, version: Int64, content: Content) {
        self.key = key
        self.version = version
        self.content = content
    }

    /// A reply with `data`, or the lack of them.
    public init(key: String, version: Int64, data: Value?) {
        self.init(key: key, version: version, content: data.map { .data($0) } ?? .missing)
    }

    /// The data, if there are any.
    public var data: Value? {
        guard case .data(let data) = content else { return nil }
        return data
    }
}
