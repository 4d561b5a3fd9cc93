/// The payload of a server's `e`: `KEY.VERSION`, a line feed, and JSON or `?`.
public struct EntityReply: Hashable, Sendable {
    /// Key of the object; may hold dots.
    public var key: String
    /// Version of the object.
    public var version: Int64
    /// What the server has.
    public var content: Content

    /// What the server has of an entity.
    public enum Content: Hashable, Sendable {
        /// Nothing: there is no such entity, or the version is gone.
        case missing
        /// The bytes of its data in the message.
        case data(Range<Int>)
        /// JSON without `data`, in these bytes of the message.
        case other(Range<Int>)
    }

    /// A reply with these values.
    public init(key: String, version: Int64, content: Content) {
        self.key = key
        self.version = version
        self.content = content
    }

    /// Bytes of the data in the message, if there are any.
    public var data: Range<Int>? {
        guard case .data(let range) = content else { return nil }
        return range
    }
}
