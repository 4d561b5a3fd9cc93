public import Notation
public import Wire

/// What one peer of a bucket received: its objects, the change version, and whether these are all.
///
/// Takes pages, entities and changes in the order in which they were sent. A change that does not
/// fit leaves the object unchanged and is reported as an ``Outcome``, from which the caller decides
/// what it means. Objects are kept as JSON text, so that their size is known.
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

    /// The place of something among the commands.
    public struct Source: Hashable, Sendable {
        /// The command; nil where no peer received it, or the caller does not need it.
        public var command: CommandID?
        /// Its place in the order of all commands.
        public var order: Int

        /// A place among the commands.
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

        /// The value of JSON text; nil where it is not valid.
        public static func value(_ json: [UInt8]) -> JSONValue? {
            (try? JSONDocument.scan(json)).map { JSONValue($0.root) }
        }
    }

    /// The outcome of a change.
    public enum Outcome: Hashable, Sendable {
        /// The object was changed or removed.
        case applied
        /// All objects were removed.
        case emptied
        /// The peer has the object at this version or a newer one: the change is an old one.
        case alreadyHad
        /// The peer does not have the version that the change is for.
        case baseUnknown
        /// It does, but its data are unknown, or computing with them exceeds the limit on work.
        case dataUnknown
        /// The change cannot be applied to the version that it is for.
        case inapplicable
        /// It is refused, or incomplete.
        case nothing
    }

    /// The objects, by key.
    public internal(set) var objects: [ExactText: Object] = [:]
    /// The last unanswered change of a client for each object, by key.
    public internal(set) var proposals: [ExactText: Proposal] = [:]
    /// The last change version.
    public var cv: String?
    /// Whether these are all objects of the bucket.
    public internal(set) var isComplete = false
    /// Bytes that bounded ledgers take, about.
    public private(set) var bytes = 0
    /// Objects that were evicted to stay within the limits.
    public private(set) var evicted = 0

    /// Nil where what is held bounds the memory.
    private let limits: Limits?
    private var recency = Recency()
    /// Bytes that the changes of this command were applied to.
    var work = 0

    /// Bytes that an object takes beside its key and JSON.
    private static let overhead = 128

    /// The ledger of a peer that has received nothing.
    ///
    /// - Parameter limits: How much is kept; nil for everything, where it is as much as the peers keep.
    public init(limits: Limits? = Limits()) { self.limits = limits }

    /// The object with this key.
    public func object(_ key: String) -> Object? { objects[ExactText(key)] }

    /// Number of objects with data, a version or an unanswered change.
    public var count: Int {
        limits == nil
            ? objects.count + proposals.keys.count(where: { objects[$0] == nil }) : recency.count
    }

    // MARK: Changing it

    /// Holds an object in place of the one that was held.
    public mutating func hold(_ key: ExactText, _ object: Object) {
        guard limits != nil else {
            objects[key] = object
            return
        }
        change(key) { $0.objects[key] = object }
    }

    /// Forgets an object.
    public mutating func forget(_ key: ExactText) { change(key) { $0.objects[key] = nil } }

    /// Records that an object was mentioned unchanged.
    public mutating func mention(_ key: ExactText, from source: Source) {
        guard limits != nil else {
            objects[key]?.source.order = source.order
            return
        }
        change(key) { $0.objects[key]?.source.order = source.order }
    }

    /// Removes all objects: the bucket is empty, and known as a whole.
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

    /// Whether a base of so many bytes is within the limit on work; it is then counted.
    mutating func affords(_ bytes: Int) -> Bool {
        guard let limits else { return true }
        guard work <= limits.work else { return false }
        work += bytes
        return true
    }
}
