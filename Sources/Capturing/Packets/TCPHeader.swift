/// Reads a TCP header; options are skipped, and the checksum is not verified.
///
/// Source: RFC 9293, 3.1.
enum TCPHeader {
    /// The segment in `range` of `bytes`, of which `cutOff` bytes behind were not captured.
    ///
    /// - Throws: `tooShort` where the capture ends within the 20 bytes that every header has;
    ///   `.malformed` where the packet itself does.
    static func segment(
        in bytes: ArraySlice<UInt8>, _ range: Range<Int>, cutOff: Int, from source: IPAddress,
        to destination: IPAddress, atUnixNanoseconds: Int64, tooShort: IgnoringReason
    ) throws(IgnoringReason) -> TCPSegment {
        let span = bytes.span
        let start = range.lowerBound
        guard range.count >= 20 else { throw range.count + cutOff < 20 ? .malformed : tooShort }
        let headerLength = Int(span[start + 12] >> 4) * 4
        guard headerLength >= 20, headerLength <= range.count + cutOff else { throw .malformed }
        // Where the capture ends within the options, all of the payload was cut off.
        let payload = min(start + headerLength, range.upperBound)..<range.upperBound
        return TCPSegment(
            source: Endpoint(source, span.big16(start)),
            destination: Endpoint(destination, span.big16(start + 2)),
            sequence: span.big32(start + 4), acknowledgment: span.big32(start + 8),
            flags: TCPSegment.Flags(rawValue: span[start + 13]),
            payload: bytes[
                bytes.startIndex + payload.lowerBound..<bytes.startIndex + payload.upperBound],
            cutOff: cutOff - max(0, start + headerLength - range.upperBound),
            atUnixNanoseconds: atUnixNanoseconds)
    }
}
