public import Notation
import Wire

extension SimperiumMessage {
    /// One change of a `c`, with its JSON as values.
    ///
    /// Source: Simperium WebSocket API, "Change: c".
    public struct Change: Hashable, Sendable {
        /// Key of the object (`id`).
        public var key: String?
        /// What is done (`o`); an error has none.
        public var operation: SimperiumChange.Operation?
        /// Version the change applies to (`sv`); new objects have none.
        public var sv: Int64?
        /// Version of the object after the change (`ev`); clients send none.
        public var ev: Int64?
        /// Change version of the bucket after the change (`cv`); clients send none.
        public var cv: String?
        /// Identifiers of the change (`ccid`, `ccids`), in order.
        public var ccids: [String]
        /// The client that made it (`clientid`).
        public var clientID: String?
        /// Why the server did not apply it (`error`).
        public var error: Int?
        /// The map of operations (`v`).
        public var value: JSONValue?
        /// The whole object (`d`).
        public var data: JSONValue?

        /// A change with these values.
        public init(
            key: String? = nil, operation: SimperiumChange.Operation? = nil, sv: Int64? = nil,
            ev: Int64? = nil, cv: String? = nil, ccids: [String] = [], clientID: String? = nil,
            error: Int? = nil, value: JSONValue? = nil, data: JSONValue? = nil
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
}
