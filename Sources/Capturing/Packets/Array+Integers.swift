extension [UInt8] {
    /// Appends a number in network byte order.
    mutating func append(big number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends a number with its least significant byte first.
    mutating func append(little number: some FixedWidthInteger) {
        append(big: number.byteSwapped)
    }
}
