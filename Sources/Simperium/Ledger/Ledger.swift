public import Notation
public import Wire

/// What one peer of a bucket was told: its objects, where the bucket is, and whether that is all.
///
/// Who follows a bucket puts what is said into a ledger in the order in which it was said, and
/// decides itself what it means that a change does not fit: see ``Outcome``. Objects are kept as
/// JSON text, of which the size is known.
public struct Ledger: Sendable {
    /// How much is kept.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of objects, at least 1.
        public var objects: Int
        /// The maximum number of bytes of keys and JSON, proposals included.
        public var bytes: Int
        /// The maximum number of bytes of objects that the changes of one command are applied to.
        ///
        /// A `c` may hold many changes of one large object; what is beyond is not computed.
        public var work: Int

        /// Limits with these values.
        public init(objects: Int = 200_000, bytes: Int = 64 << 20, work: Int = 256 << 20) {
            self.objects = objects
            self.bytes = bytes
            self.work = work
        }
    }

    /// Where something was said.
    public struct Source: Hashable, Sendable {
        /// The command; nil where no receiver got it, or nobody asks.
        public var command: CommandID?
        /// Its place among all that was said.
        public var order: Int

        /// A place in what was said.
        public init(command: CommandID? = nil, order: Int = 0) {
            self.command = command
            self.order = order
        }
    }

    /// An object as the peer has it.
    public struct Object: Hashable, Sendable {
        /// The version.
        public var version: Int64
        /// The JSON text of its data; nil where only the version is known.
        public var json: [UInt8]?
        /// The command that brought it, and the place where it was mentioned last.
        var source: Source

        /// An object with these values.
        public init(version: Int64, json: [UInt8]?, source: Source = Source()) {
            self.version = version
            self.json = json
            self.source = source
        }

        /// The command that brought it.
        public var command: CommandID? { source.command }

        /// The data.
        public var value: JSONValue? { json.flatMap(Self.value) }

        /// What the JSON text of data stands for; nil where it cannot be read.
        public static func value(_ json: [UInt8]) -> JSONValue? {
            (try? JSONDocument.scan(json)).map { JSONValue($0.root) }
        }
    }

    /// What became of a change that was put into a ledger.
    public enum Outcome: Hashable, Sendable {
        /// The object is what the change makes of it, or it is gone.
        case applied
        /// All objects are gone.
        case emptied
        /// The peer has the object at this version or a newer one: the change is an old one.
        case alreadyHad
        /// The peer does not have the version that the change is for.
        case baseUnknown
        /// It does, but its data are not known, or computing with them is too much work.
        case dataUnknown
        /// The change cannot be carried out on the version that it is for.
        case inapplicable
        /// It is refused, or lacks what would make it a change.
        case nothing
    }

    /// The objects, by key.
    public internal(set) var objects: [ExactText: Object] = [:]
    /// What was asked for last for each object and not answered yet, by key.
    public internal(set) var proposals: [ExactText: Proposal] = [:]
    /// Change version that was said last.
    public var cv: String?
    /// Whether these are all objects of the bucket.
    public internal(set) var isComplete = false
    /// Bytes that bounded ledgers take, about.
    public private(set) var bytes = 0
    /// Objects that were forgotten to stay within the limits.
    public private(set) var evicted = 0

    /// Nil where what is held bounds the memory.
    private let limits: Limits?
    private var recency = Recency()
    /// Bytes that the changes of this command were applied to.
    var work = 0

    /// Bytes that an object takes beside its key and JSON.
    private static let overhead = 128

    /// A ledger of a peer that was told nothing.
    ///
    /// - Parameter limits: How much is kept; nil where all is, since it is as much as the peers keep.
    public init(limits: Limits? = Limits()) { self.limits = limits }

    /// The object with this key.
    public func object(_ key: String) -> Object? { objects[ExactText(key)] }

    /// Number of objects of which something is known.
    public var count: Int {
        limits == nil
            ? objects.count + proposals.keys.count(where: { objects[$0] == nil }) : recency.count
    }

    // MARK: Changing it

    /// Holds an object, whatever was held.
    public mutating func hold(_ key: ExactText, _ object: Object) {
        guard limits != nil else {
            objects[key] = object
            return
        }
        change(key) { $0.objects[key] = object }
    }

    /// Forgets an object.
    public mutating func forget(_ key: ExactText) { change(key) { $0.objects[key] = nil } }

    /// Notes that an object was mentioned as it is.
    public mutating func mention(_ key: ExactText, from source: Source) {
        guard limits != nil else {
            objects[key]?.source.order = source.order
            return
        }
        change(key) { $0.objects[key]?.source.order = source.order }
    }

    /// Holds no objects any more, and that is all there is.
    mutating func empty() {
        objects = [:]
        proposals = [:]
        recency = Recency()
        bytes = 0
        isComplete = true
    }

    /// Holds these objects and no others.
    public mutating func restate(_ all: [ExactText: Object]) {
        isComplete = true
        guard limits != nil else {
            objects = all
            return
        }
        for key in Array(objects.keys) where all[key] == nil { forget(key) }
        for (key, object) in all { hold(key, object) }
    }

    /// Changes what is held of one key, and keeps to the limits.
    mutating func change(_ key: ExactText, _ change: (inout Ledger) -> Void) {
        guard let limits else { return change(&self) }
        bytes -= cost(key)
        change(&self)
        let cost = cost(key)
        bytes += cost
        if cost > 0 { recency.touch(key) } else { recency.forget(key) }
        while bytes > limits.bytes || recency.count > limits.objects,
            let oldest = recency.removeOldest()
        {
            bytes -= self.cost(oldest)
            objects[oldest] = nil
            proposals[oldest] = nil
            evicted += 1
            isComplete = false
        }
    }

    private func cost(_ key: ExactText) -> Int {
        let object = objects[key]
        let proposal = proposals[key]
        guard object != nil || proposal != nil else { return 0 }
        return Self.overhead + key.string.utf8.count + (object?.json?.count ?? 0)
            + (proposal?.json?.count ?? 0)
    }

    /// Whether a base of so many bytes can be computed with, which counts as done.
    mutating func affords(_ bytes: Int) -> Bool {
        guard let limits else { return true }
        guard work <= limits.work else { return false }
        work += bytes
        return true
    }
}
