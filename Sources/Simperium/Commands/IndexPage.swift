/// The payload of a server's `i`: a page of the index.
///
/// `Value` is how its JSON is held, as in ``SimperiumChange``.
public struct IndexPage<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Change version of the bucket; nil where missing, empty where sent so (an empty bucket).
    public var current: String?
    /// Keys and versions, in the order sent.
    public var entries: [Entry]
    /// What to ask the next page with; nil on the last.
    public var mark: String?
    /// Number of objects that some servers state.
    public var count: Int?

    /// One object of the index.
    public struct Entry: Hashable, Sendable {
        /// Key of the object; nil where missing.
        public var key: String?
        /// Version of the object; nil where missing.
        public var version: Int64?
        /// Its data, if they were requested.
        public var data: Value?

        /// An entry with these values.
        public init(key: String?, version: Int64?, data: Value? = nil) {
            self.key = key
            self.version = version
            self.data = data
        }
    }

    /// A page with these values.
    public init(
        current: String? = nil, entries: [Entry] = [], mark: String? = nil, count: Int? = nil
    ) {
        self.current = current
        self.entries = entries
        self.mark = mark
        self.count = count
    }
}
