public import Notation
import Wire

/// The objects of buckets, as far as the commands that were seen tell them.
///
/// A fold of commands in the order in which they were sent, so that the base of a change is known
/// when the change is shown. What the server says is believed; what a client sent and the server
/// did not answer yet is kept apart. Bounded: the objects that were not touched for longest go
/// first. Objects are kept as JSON text, of which the size is known.
public struct BucketReplay: Sendable {
    /// How much is kept.
    public struct Limits: Hashable, Sendable {
        /// Most objects, at least 1.
        public var objects: Int
        /// Most bytes of keys and JSON, pending changes included.
        public var bytes: Int
        /// Most bytes of objects that the changes of one command are applied to.
        ///
        /// A `c` may hold many changes of one large object; what is beyond is not known any more.
        public var work: Int

        /// Limits with these values.
        public init(objects: Int = 200_000, bytes: Int = 64 << 20, work: Int = 256 << 20) {
            self.objects = objects
            self.bytes = bytes
            self.work = work
        }
    }

    /// An object at a version.
    public struct Object: Hashable, Sendable {
        /// The version.
        public var version: Int64
        /// The JSON text of its data.
        public var json: [UInt8]

        /// The data.
        public var value: JSONValue? {
            (try? JSONDocument.scan(json)).map { JSONValue($0.root) }
        }
    }

    /// A change that a client sent and the server did not answer yet.
    public struct Pending: Hashable, Sendable {
        /// Identifier of the change.
        public var ccid: String
        /// Version it applies to; nil for a new object.
        public var sv: Int64?
        /// What the client has now, as JSON text; nil where that is not known, or it is removed.
        public var json: [UInt8]?
        /// Whether the client removed the object.
        public var isRemoval: Bool
    }

    private struct Place: Hashable {
        let bucket: ExactText
        let key: ExactText
    }

    private struct Entry {
        var object: Object?
        var pending: Pending?
        var cost: Int
        var touched: Int
    }

    /// Bytes that an entry takes beside its key and JSON.
    private static let overhead = 128

    private let limits: Limits
    private var entries: [Place: Entry] = [:]
    /// Places in the order in which they were touched; only the last mention of each counts.
    private var order: [(place: Place, touched: Int)] = []
    private var oldest = 0
    private var clock = 0
    /// Bytes that the changes of this command were applied to.
    private var work = 0
    /// Bytes that the kept objects take, about.
    public private(set) var bytes = 0
    /// Objects that were let go to stay within the limits.
    public private(set) var evicted = 0

    /// A replay that has seen nothing.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Number of objects that something is known of.
    public var count: Int { entries.count }

    /// What the server has, as far as is known.
    public func object(_ key: String, in bucket: String) -> Object? {
        entries[Place(bucket: ExactText(bucket), key: ExactText(key))]?.object
    }

    /// What a client sent last for this object and the server did not answer yet.
    public func pending(_ key: String, in bucket: String) -> Pending? {
        entries[Place(bucket: ExactText(bucket), key: ExactText(key))]?.pending
    }

    /// The object that a change applies to; nil where it is not known at that version.
    ///
    /// To be asked before ``see(_:in:bucket:)`` is given the command of the change. A change
    /// without `sv` applies to an object that is new, unless one is known.
    public func base(of change: SimperiumChange<Range<Int>>, in bucket: String) -> JSONValue? {
        guard let key = change.key, change.error == nil else { return nil }
        let object = object(key, in: bucket)
        guard let sv = change.sv else {
            guard let object else {
                return change.operation == .modify ? .object(JSONObject()) : nil
            }
            return change.operation == .remove ? object.value : .object(JSONObject())
        }
        guard let object, object.version == sv else { return nil }
        return object.value
    }

    /// Takes the next command.
    ///
    /// - Parameters:
    ///   - command: A command, in the order in which commands were sent.
    ///   - message: The message it was read from.
    ///   - bucket: The bucket of its channel.
    public mutating func see(_ command: SimperiumCommand, in message: [UInt8], bucket: String) {
        switch command.body {
        case .indexPage(let page):
            for entry in page.entries {
                guard let key = entry.key, let version = entry.version, let data = entry.data
                else { continue }
                store(key, in: bucket, version, data, of: message)
            }
        case .entity(let reply):
            guard let data = reply.data else { break }
            store(reply.key, in: bucket, reply.version, data, of: message)
        case .changes(let changes):
            work = 0
            for change in changes {
                if command.sender == .server {
                    accept(change, in: message, bucket)
                } else {
                    propose(change, in: message, bucket)
                }
            }
        default: break
        }
    }

    /// A change that the server tells of.
    private mutating func accept(
        _ change: SimperiumChange<Range<Int>>, in message: [UInt8], _ bucket: String
    ) {
        if change.operation == .empty { return forget(bucket) }
        guard let key = change.key else { return }
        let place = Place(bucket: ExactText(bucket), key: ExactText(key))
        var entry = entries[place] ?? Entry(cost: 0, touched: 0)
        if let pending = entry.pending, change.ccids.contains(pending.ccid) { entry.pending = nil }
        defer { put(entry, at: place) }
        guard change.error == nil else { return }
        if change.operation == .remove {
            entry.object = nil
            return
        }
        guard change.operation == .modify, let ev = change.ev else { return }
        if let known = entry.object, known.version >= ev { return }
        let base = affordableBase(of: change, in: bucket)
        // What cannot be computed is not known any more.
        entry.object = result(of: change, on: base, in: message).map {
            Object(version: ev, json: $0)
        }
    }

    /// A change that a client asks for.
    private mutating func propose(
        _ change: SimperiumChange<Range<Int>>, in message: [UInt8], _ bucket: String
    ) {
        guard let key = change.key, let ccid = change.ccids.first else { return }
        let place = Place(bucket: ExactText(bucket), key: ExactText(key))
        var entry = entries[place] ?? Entry(cost: 0, touched: 0)
        let isRemoval = change.operation == .remove
        entry.pending = Pending(
            ccid: ccid, sv: change.sv,
            json: isRemoval
                ? nil : result(of: change, on: affordableBase(of: change, in: bucket), in: message),
            isRemoval: isRemoval)
        put(entry, at: place)
    }

    /// The base of a change, as long as the work on this command is within its limit.
    private mutating func affordableBase(
        of change: SimperiumChange<Range<Int>>, in bucket: String
    ) -> JSONValue? {
        guard change.data == nil, work <= limits.work else { return nil }
        work += change.key.flatMap { object($0, in: bucket)?.json.count } ?? 0
        return base(of: change, in: bucket)
    }

    /// The JSON text of the object after a change.
    private func result(
        of change: SimperiumChange<Range<Int>>, on base: JSONValue?, in message: [UInt8]
    ) -> [UInt8]? {
        if let data = change.data, data.upperBound <= message.count { return Array(message[data]) }
        guard let base, let range = change.value, range.upperBound <= message.count,
            let document = try? JSONDocument.scan(message, in: range),
            let value = try? JSONDiff.apply(JSONValue(document.root), to: base)
        else { return nil }
        return value.bytes()
    }

    /// An object that the server sent whole.
    private mutating func store(
        _ key: String, in bucket: String, _ version: Int64, _ data: Range<Int>, of message: [UInt8]
    ) {
        guard data.upperBound <= message.count else { return }
        let place = Place(bucket: ExactText(bucket), key: ExactText(key))
        var entry = entries[place] ?? Entry(cost: 0, touched: 0)
        // An old version that somebody looks at is not what the object is now.
        if let known = entry.object, known.version > version { return }
        entry.object = Object(version: version, json: Array(message[data]))
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Place) {
        var entry = entry
        bytes -= entries[place]?.cost ?? 0
        guard entry.object != nil || entry.pending != nil else {
            entries[place] = nil
            return
        }
        clock += 1
        entry.touched = clock
        entry.cost =
            Self.overhead + place.key.string.utf8.count + place.bucket.string.utf8.count
            + (entry.object?.json.count ?? 0) + (entry.pending?.json?.count ?? 0)
        bytes += entry.cost
        entries[place] = entry
        order.append((place, clock))
        shrink()
    }

    private mutating func forget(_ bucket: String) {
        let bucket = ExactText(bucket)
        for (place, entry) in entries where place.bucket == bucket {
            bytes -= entry.cost
            entries[place] = nil
        }
    }

    /// Lets the objects go that were not touched for longest, down to the limits.
    private mutating func shrink() {
        while oldest < order.count, entries.count > limits.objects || bytes > limits.bytes {
            let (place, touched) = order[oldest]
            oldest += 1
            guard let entry = entries[place], entry.touched == touched else { continue }
            bytes -= entry.cost
            entries[place] = nil
            evicted += 1
        }
        guard order.count - oldest > 2 * entries.count + 64 || oldest > order.count / 2 + 64 else {
            return
        }
        order.removeFirst(oldest)
        oldest = 0
        order.removeAll { entries[$0.place]?.touched != $0.touched }
    }
}
