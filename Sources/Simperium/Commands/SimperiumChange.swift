/// One change of a `c`.
///
/// Source: Simperium WebSocket API, "Change: c". Every field may be missing; the notes of the
/// command tell which should not be. Ranges are in bytes of the message.
public struct SimperiumChange: Hashable, Sendable {
    /// What is done to the object.
    public enum Operation: Hashable, Sendable {
        /// `M`: it is changed or created.
        case modify
        /// `-`: it is removed.
        case remove
        /// `EMPTY`: all objects of the bucket are removed; the key is the bucket's name.
        case empty
        /// Anything else, as sent.
        case other(String)

        /// As on the wire.
        public var text: String {
            switch self {
            case .modify: "M"
            case .remove: "-"
            case .empty: "EMPTY"
            case .other(let text): text
            }
        }

        /// The operation that `text` stands for.
        public init(_ text: String) {
            switch text {
            case "M": self = .modify
            case "-": self = .remove
            case "EMPTY": self = .empty
            default: self = .other(text)
            }
        }
    }

    /// The whole element.
    public var range: Range<Int>
    /// Key of the object (`id`).
    public var key: String?
    /// What is done (`o`); an error has none.
    public var operation: Operation?
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
    public var value: Range<Int>?
    /// The whole object (`d`).
    public var data: Range<Int>?

    /// A change that says nothing yet.
    public init(range: Range<Int>) {
        self.range = range
        ccids = []
    }
}
