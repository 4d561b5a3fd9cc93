public import Notation
import Wire

extension ClientBucket {
    /// What outlives a client's process.
    public struct Saved: Hashable, Sendable {
        /// Change version up to which the server's changes are known.
        public var cv: String?
        /// Objects by key.
        public var objects: [ExactText: SavedObject] = [:]
        /// Request to empty the bucket that was not answered.
        public var emptying: Emptying?

        /// Nothing.
        public init() {}

        /// Takes what changed.
        public mutating func apply(_ saving: Saving) {
            cv = saving.cv
            emptying = saving.emptying
            for (key, object) in saving.objects { objects[key] = object }
        }
    }

    /// What changed of ``Saved``.
    public struct Saving: Hashable, Sendable {
        /// The change version, changed or not.
        public var cv: String?
        /// The request to empty the bucket, changed or not.
        public var emptying: Emptying?
        /// Objects that changed; nil where nothing is left to remember.
        public var objects: [ExactText: SavedObject?]
    }

    /// An object at a version of the server's.
    public struct Ghost: Hashable, Sendable {
        /// The version.
        public var version: Int64
        /// The data.
        public var data: JSONValue

        /// An object at this version.
        public init(version: Int64, data: JSONValue) {
            self.version = version
            self.data = data
        }
    }

    /// A request to empty the bucket.
    public struct Emptying: Hashable, Sendable {
        /// The change as it is sent, each time the same.
        public var change: SimperiumChange<JSONValue>

        /// A request that is this change.
        public init(change: SimperiumChange<JSONValue>) { self.change = change }
    }

    /// What is kept of one object.
    public struct SavedObject: Hashable, Sendable {
        /// The server's value, as far as known; nil for none.
        public var ghost: Ghost?
        /// What the app has; nil for nothing.
        public var local: JSONValue?
        /// The change that was sent and not answered.
        public var sent: SentChange? {
            get { boxed.change }
            set { boxed = newValue.map { .some($0) } ?? .none }
        }
        /// It is large, and nearly no object of a bucket has one.
        private var boxed = BoxedChange.none
        /// Why a change is held back.
        public var hold: Hold?
        /// Whether the next change must hold the whole object.
        public var needsFull = false
        /// Version that is to be requested, because it could not be computed.
        public var wanted: Int64?
        /// Version at which the server removed it.
        public var tombstone: Int64?

        /// Nothing.
        public init() {}
    }

    /// A boxed change, or none.
    private indirect enum BoxedChange: Hashable, Sendable {
        case none
        case some(SentChange)

        var change: SentChange? {
            if case .some(let change) = self { change } else { nil }
        }
    }

    /// A change that was sent.
    public struct SentChange: Hashable, Sendable {
        /// The change, each time the same.
        public var change: SimperiumChange<JSONValue>
        /// The resulting object, as far as known now; nil where it is removed.
        public var target: JSONValue?
        /// Its place among all changes.
        public var sequence: Int
        /// The server's answer to it.
        public var answer: Answer?

        /// A change with these values.
        public init(
            change: SimperiumChange<JSONValue>, target: JSONValue?, sequence: Int,
            answer: Answer? = nil
        ) {
            self.change = change
            self.target = target
            self.sequence = sequence
            self.answer = answer
        }
    }

    /// A server's answer to a change that is not settled.
    public enum Answer: Hashable, Sendable {
        /// It has it, and the object is on its way.
        case accepted
        /// It had it before (409).
        case duplicate
        /// The version is invalid (405).
        case badVersion
    }

    /// Why a change is held back.
    public enum Hold: Hashable, Sendable {
        /// The server refused it; the app has to change the object.
        case untilEdited
        /// It is too large (413); it has to get smaller than this many bytes of JSON.
        case untilBelow(bytes: Int)
    }
}
