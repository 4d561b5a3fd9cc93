extension XMLStream {
    /// Length in bytes of the whole characters at the start, and whether what follows them may
    /// become one.
    static func validPrefix(_ bytes: borrowing Span<UInt8>) -> (count: Int, isCut: Bool) {
        bytes.withUnsafeBufferPointer { buffer in
            do throws(UTF8.ValidationError) {
                _ = try UTF8Span(validating: buffer.span)
                return (buffer.count, false)
            } catch {
                let range = error.byteOffsets
                let isCut = error.kind == .truncatedScalar && range.upperBound == buffer.count
                return (range.lowerBound, isCut)
            }
        }
    }
}
