/// Tells contents apart: two FNV-1a hashes and the length.
struct CommCareDigest: Hashable, Sendable {
    private var first: UInt64 = 0xCBF2_9CE4_8422_2325
    private var second: UInt64 = 0x8422_2325_CBF2_9CE4
    private(set) var count = 0

    init() {}

    init(_ bytes: [UInt8]) { add(bytes[...]) }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var (a, b) = (first, second)
        for byte in bytes {
            a = (a ^ UInt64(byte)) &* 0x100_0000_01B3
            b = (b ^ UInt64(byte &+ 0x5B)) &* 0x100_0000_0233
        }
        (first, second) = (a, b)
        count += bytes.count
    }
}
