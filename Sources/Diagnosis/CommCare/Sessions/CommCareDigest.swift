import Notation

/// Identifies contents by two FNV-1a hashes and the length.
struct CommCareDigest: Hashable, Sendable {
    private var first = FNV1a()
    private var second = FNV1a(offset: FNV1a.otherOffset, prime: 0x100_0000_0233)
    private(set) var count = 0

    init() {}

    init(_ bytes: [UInt8]) { add(bytes[...]) }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        first.add(bytes)
        second.add(bytes)
        count += bytes.count
    }
}
