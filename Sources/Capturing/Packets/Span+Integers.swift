/// Numbers in network byte order; the caller has checked that the bytes are there.
extension Span<UInt8> {
    /// The 16 bits that begin at this place.
    func big16(_ place: Int) -> UInt16 { UInt16(self[place]) << 8 | UInt16(self[place + 1]) }

    /// The 32 bits that begin at this place.
    func big32(_ place: Int) -> UInt32 {
        UInt32(big16(place)) << 16 | UInt32(big16(place + 2))
    }

    /// The 64 bits that begin at this place.
    func big64(_ place: Int) -> UInt64 {
        UInt64(big32(place)) << 32 | UInt64(big32(place + 4))
    }
}
