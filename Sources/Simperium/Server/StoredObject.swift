internal import Notation
internal import Wire

/// One object as a server keeps it, also after it was removed.
struct StoredObject: Hashable, Sendable {
    /// The newest version; continues after a removal.
    private(set) var number: Int64 = 0
    /// The first version since the object was created, or created again.
    private(set) var born: Int64 = 1
    /// Whether it is deleted.
    private(set) var isRemoved = true
    /// Its place in the order of the index; nil where it is removed.
    var place: Int64?
    /// The versions kept, in ascending order.
    private(set) var versions: [StoredVersion] = []
    /// Bytes of all of ``versions`` as JSON.
    private(set) var weight = 0
    /// How many of ``versions``, from the start, are only there as tenth ones.
    private var tenths = 0

    /// An object that was never there.
    init() {}

    /// An object with a past.
    init(number: Int64, isRemoved: Bool, versions: [StoredVersion], _ options: BucketOptions) {
        for version in versions { append(version, options) }
        self.number = max(number, versions.last?.number ?? 0)
        self.isRemoved = isRemoved
        born = versions.first?.number ?? number
    }

    /// The newest version; nil where it is removed.
    var head: StoredVersion? { isRemoved ? nil : versions.last }

    /// A version that is kept.
    func version(_ number: Int64) -> StoredVersion? {
        place(of: number).map { versions[$0] }
    }

    /// The place of a version among those kept.
    func place(of number: Int64) -> Int? {
        var low = 0
        var high = versions.count
        while low < high {
            let middle = (low + high) / 2
            if versions[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < versions.count && versions[low].number == number ? low : nil
    }

    /// The next version.
    mutating func become(
        _ text: [UInt8], by change: JSONValue?, _ options: BucketOptions
    ) {
        number += 1
        if isRemoved {
            isRemoved = false
            born = number
        }
        append(StoredVersion(number: number, text: text, change: change), options)
    }

    /// The next version: its deletion.
    mutating func remove(_ options: BucketOptions) {
        number += 1
        isRemoved = true
        place = nil
        guard !options.keepsVersionsOfRemoved else { return }
        versions = []
        tenths = 0
        weight = 0
    }

    /// Keeps a version, and evicts those that are too old.
    private mutating func append(_ version: StoredVersion, _ options: BucketOptions) {
        versions.append(version)
        weight += version.weight
        while versions.count - tenths > max(options.newestVersions, 1) {
            if versions[tenths].number % 10 == 0, options.tenthVersions > 0 {
                tenths += 1
            } else {
                weight -= versions.remove(at: tenths).weight
            }
        }
        while tenths > options.tenthVersions {
            weight -= versions.removeFirst().weight
            tenths -= 1
        }
        // No rebase needs the operations of the first of them.
        if let first = versions.first, first.changeText != nil { versions[0] = first.first }
    }
}
