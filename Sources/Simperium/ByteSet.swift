/// Some of the ASCII characters, one bit each.
struct ByteSet {
    private let low: UInt64
    private let high: UInt64

    /// Letters, digits and `._-`, what an identifier of an application is made of.
    static var appName: ByteSet { ByteSet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_87FF_FFFE) }
    /// Letters, digits and `._-%`, what the name of a bucket is made of.
    static var bucketName: ByteSet {
        ByteSet(low: 0x03FF_6020_0000_0000, high: 0x07FF_FFFE_87FF_FFFE)
    }
    /// Letters, digits and `._-%@`, what the key of an object is made of.
    static var key: ByteSet { ByteSet(low: 0x03FF_6020_0000_0000, high: 0x07FF_FFFE_87FF_FFFF) }
    /// Hexadecimal digits and the dash of UUIDs, what the identifier of a change is made of.
    static var ccid: ByteSet { ByteSet(low: 0x03FF_2000_0000_0000, high: 0x0000_007E_0000_007E) }
    /// Letters, digits, space and `-_.!~*'();/?:@&=+$,#`, what deltas do not escape.
    static var delta: ByteSet { ByteSet(low: 0xAFFF_FFDB_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    func contains(_ byte: UInt8) -> Bool {
        let half = byte < 0x40 ? low : high
        return byte < 0x80 && half >> UInt64(byte & 0x3F) & 1 == 1
    }
}
