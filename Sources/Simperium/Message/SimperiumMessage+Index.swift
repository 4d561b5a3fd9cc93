public import Notation
import Wire

extension SimperiumMessage {
    /// A page of the index: what a server's `i` says.
    public struct Page: Hashable, Sendable {
        /// Change version of the bucket; nil where missing, empty where sent so (an empty bucket).
        public var current: String?
        /// Keys and versions, in their order.
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
            /// Its data, if they were asked for.
            public var data: JSONValue?

            /// An entry with these values.
            public init(key: String?, version: Int64?, data: JSONValue? = nil) {
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

    /// What a client knows of a bucket: its answer to `index`.
    ///
    /// Source: Simperium WebSocket API, "Remote index".
    public struct State: Hashable, Sendable {
        /// Change version the client is at.
        public var current: String?
        /// Keys and versions the client has.
        public var entries: [Page.Entry]
        /// Changes that the server has not acknowledged.
        public var pending: [IndexState.Pending]
        /// Whatever else the client wants to say.
        public var extra: JSONValue?

        /// A state with these values.
        public init(
            current: String? = nil, entries: [Page.Entry] = [],
            pending: [IndexState.Pending] = [], extra: JSONValue? = nil
        ) {
            self.current = current
            self.entries = entries
            self.pending = pending
            self.extra = extra
        }
    }
}
