import Notation
import Simperium
import Wire

/// A name within a bucket or within one client's state of a bucket.
struct SimperiumChangePlace: Hashable, Sendable {
    /// Number of the bucket or client.
    let owner: Int32
    /// The key of an object, or the identifier of a change.
    let key: ExactText
    /// Hash of both, made once for many look-ups.
    let print: Int

    init(owner: Int32, key: ExactText) {
        self.owner = owner
        self.key = key
        print = SimperiumName.print(of: key.string, owner)
    }

    static func == (a: Self, b: Self) -> Bool {
        a.print == b.print && a.owner == b.owner
            && SimperiumName.isSame(a.key.string, b.key.string)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(print) }
}

/// The data of objects at their last versions, as far as the server sent them.
///
/// Data that cannot be computed are unknown. Bounded in bytes.
struct SimperiumChangeTruth: Sendable {
    private enum Data: Sendable {
        /// As received; parsed when needed.
        case text([UInt8])
        case value(JSONValue)
    }

    private struct Version: Sendable {
        var number: Int64
        var data: Data
        var cost: Int
    }

    private var objects = SimperiumChangeRecent<[Version]>(most: 32 << 20)
    private static let maxVersions = 4
    private static let overhead = 160

    /// The data of a version.
    mutating func value(_ place: SimperiumChangePlace, _ number: Int64) -> JSONValue? {
        guard let object = objects.use(place),
            let index = objects.values[object].firstIndex(where: { $0.number == number })
        else { return nil }
        switch objects.values[object][index].data {
        case .value(let value): return value
        case .text(let text):
            guard let document = try? JSONDocument.scan(text) else { return nil }
            let value = JSONValue(document.root)
            objects.values[object][index].data = .value(value)
            return value
        }
    }

    /// The data of the highest version that is known, and about how many bytes it has.
    mutating func last(_ place: SimperiumChangePlace) -> (data: JSONValue, size: Int)? {
        guard let object = objects.use(place),
            let number = objects.values[object].map(\.number).max(), let data = value(place, number)
        else { return nil }
        return (data, size(place, number))
    }

    /// Whether the data of a version are known.
    func knows(_ place: SimperiumChangePlace, _ number: Int64) -> Bool {
        objects.place(of: place).map { object in
            objects.values[object].contains { $0.number == number }
        } ?? false
    }

    mutating func store(_ place: SimperiumChangePlace, _ number: Int64, text: ArraySlice<UInt8>) {
        store(place, Version(number: number, data: .text(Array(text)), cost: text.count))
    }

    /// Remembers a version that takes about `size` bytes.
    mutating func store(
        _ place: SimperiumChangePlace, _ number: Int64, value: JSONValue, size: Int
    ) {
        store(place, Version(number: number, data: .value(value), cost: 2 * size))
    }

    private mutating func store(_ place: SimperiumChangePlace, _ version: Version) {
        let cost = version.cost + Self.overhead + place.key.string.utf8.count
        guard let object = objects.use(place) else {
            return objects.set(place, [version], cost: cost)
        }
        guard !objects.values[object].contains(where: { $0.number == version.number }) else {
            return
        }
        if objects.values[object].count >= Self.maxVersions {
            objects.values[object].removeFirst()
        }
        objects.values[object].append(version)
        objects.spend(cost)
    }

    /// Bytes of a version, about; 0 where it is not known.
    func size(_ place: SimperiumChangePlace, _ number: Int64) -> Int {
        guard let object = objects.place(of: place),
            let version = objects.values[object].first(where: { $0.number == number })
        else { return 0 }
        if case .value = version.data { return version.cost / 2 }
        return version.cost
    }

    mutating func remove(_ place: SimperiumChangePlace) { objects.remove(place) }

    mutating func removeAll() { objects.removeAll() }
}
