internal import Wire

/// The objects of one bucket of one user, with what is kept of their past.
struct Bucket: Sendable {
    /// Bounds of a bucket.
    enum Limit {
        /// Largest object, in bytes of JSON.
        static let object = 1 << 20
        /// Most versions kept of an object; Simperium's `version_max`.
        static let versions = 60
        /// Most changes kept for `cv`; Simperium has 100.
        static let changes = 1000
        /// Most bytes of changes kept for `cv`.
        static let changeBytes = 16 << 20
        /// Most changes that are told from one sent again.
        static let identities = 10_000
        /// All versions of all objects, in bytes of JSON, roughly.
        static let total = 256 << 20
        /// Largest page of the index with data, in bytes of JSON, roughly.
        static let page = 8 << 20
    }

    /// One object.
    struct Object: Sendable {
        /// The newest version; goes on after a removal.
        var version: Int64 = 0
        /// The versions kept, in ascending order; empty once it is removed.
        var versions: [(version: Int64, data: JSONObject, weight: Int)] = []

        /// Bytes of the newest version as JSON.
        var weight: Int { versions.last?.weight ?? 0 }

        /// Bytes of all versions kept.
        var total: Int { versions.reduce(0) { $0 + $1.weight } }

        /// The data of a version; nil where it is not kept.
        func data(_ version: Int64) -> JSONObject? {
            versions.last { $0.version == version }?.data
        }
    }

    /// Objects by key, removed ones too.
    private(set) var objects: [String: Object] = [:]
    /// Keys of the objects that are there, in ascending order.
    private(set) var order: [String] = []
    /// The newest change version.
    private(set) var cv: String
    /// Changes as JSON with the change version after each, in order.
    private var recent: [(cv: String, text: String)] = []
    /// Bytes of ``recent``.
    private var recentBytes = 0
    /// The change version before the first of ``recent``.
    private var oldest: String
    /// Who made which change: `clientid ccid`.
    private var identities: Set<String> = []
    /// The same in their order.
    private var identityOrder: [String] = []
    /// Bytes of all versions of all objects.
    private(set) var total = 0
    /// What makes change versions unlike those of other buckets.
    private let seed: UInt32
    /// How many changes there were.
    private var count: UInt32 = 0

    /// An empty bucket, with a change version from the start: clients loop without one.
    init(now: Int64, seed: UInt32) {
        self.seed = seed
        cv = Self.version(now, seed, 0)
        oldest = cv
    }

    /// 24 hexadecimal digits, as Simperium's: time, bucket and count.
    private static func version(_ now: Int64, _ seed: UInt32, _ count: UInt32) -> String {
        Hexadecimal.text(UInt32(truncatingIfNeeded: now)) + Hexadecimal.text(seed)
            + Hexadecimal.text(count)
    }

    /// The change version that the next change gets.
    func nextVersion(_ now: Int64) -> String { Self.version(now, seed, count &+ 1) }

    /// Whether a client has already made this change.
    func knows(client: String, ccid: String) -> Bool { identities.contains("\(client) \(ccid)") }

    /// The changes since `cv` as JSON; nil where that is not known, or too long ago.
    func changes(since cv: String) -> ArraySlice<String>? {
        if cv == self.cv { return [] }
        if cv == oldest { return recent.map(\.text)[...] }
        guard let place = recent.lastIndex(where: { $0.cv == cv }) else { return nil }
        return recent.map(\.text)[(place + 1)...]
    }

    /// What marks the page of the index after `key`; opaque, and never all digits.
    static func mark(_ key: String) -> String {
        "k" + key.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Where in ``order`` the page after a mark begins; nil where it is none of ours.
    func place(after mark: String) -> Int? {
        guard mark.utf8.first == UInt8(ascii: "k"), mark.utf8.count <= 600 else { return nil }
        var bytes: [UInt8] = []
        var high: Int?
        for digit in mark.dropFirst() {
            guard let value = digit.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(UInt8(first << 4 | value))
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil, !bytes.isEmpty else { return nil }
        let key = String(decoding: bytes, as: UTF8.self)
        let place = position(of: key)
        return place < order.count && order[place] == key ? place + 1 : place
    }

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - key: Key of the object.
    ///   - data: What it becomes and its size in bytes of JSON; nil where it is removed.
    ///   - version: Its version afterwards.
    ///   - cv: As ``nextVersion(_:)`` gave it.
    ///   - text: The change as it is told to the clients, as JSON.
    ///   - identity: Client and ccid.
    mutating func change(
        _ key: String, to data: (JSONObject, weight: Int)?, version: Int64, cv: String,
        text: String, by identity: (client: String, ccid: String)
    ) {
        var object = objects.removeValue(forKey: key) ?? Object()
        let place = position(of: key)
        let isThere = place < order.count && order[place] == key
        object.version = version
        if let (data, weight) = data {
            object.versions.append((version, data, weight))
            total += weight
            if object.versions.count > Limit.versions {
                total -= object.versions.removeFirst().weight
            }
            if !isThere { order.insert(key, at: place) }
        } else {
            total -= object.total
            object.versions = []
            if isThere { order.remove(at: place) }
        }
        objects[key] = object
        remember(text, cv)
        count &+= 1
        self.cv = cv
        identities.insert("\(identity.client) \(identity.ccid)")
        identityOrder.append("\(identity.client) \(identity.ccid)")
        if identityOrder.count > Limit.identities {
            for old in identityOrder.prefix(Limit.identities / 2) { identities.remove(old) }
            identityOrder.removeFirst(Limit.identities / 2)
        }
    }

    /// Keeps a change for those who ask later.
    private mutating func remember(_ text: String, _ cv: String) {
        recent.append((cv, text))
        recentBytes += text.utf8.count
        // Half goes at once, so that a change costs the same on average however many are kept.
        if recent.count > Limit.changes || recentBytes > Limit.changeBytes {
            let gone = (recent.count + 1) / 2
            oldest = recent[gone - 1].cv
            recentBytes -= recent.prefix(gone).reduce(0) { $0 + $1.text.utf8.count }
            recent.removeFirst(gone)
        }
    }

    /// Where `key` is in ``order``, or belongs.
    private func position(of key: String) -> Int {
        var low = 0
        var high = order.count
        while low < high {
            let middle = (low + high) / 2
            if order[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
