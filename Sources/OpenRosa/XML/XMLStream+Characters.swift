/// From bytes to UTF-8.
extension XMLStream {
    func begin(_ bytes: [UInt8], isWhole: Bool) throws(XMLError) {
        head = nil
        switch XMLEncoding.detect(bytes, isWhole: isWhole) {
        case .undecided: break
        case .unknown(let name, let offset):
            lines.advance(over: bytes.span.extracting(..<min(offset, bytes.count)))
            throw fail(.unknownEncoding(name))
        case .known(let encoding, let mark):
            lines.encoding = encoding
            lines.skipMark(mark)
            if encoding != .utf8 { transcoder = XMLTranscoder(encoding) }
            try decode(bytes.span.extracting(mark...))
        }
    }

    func decode(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
        guard transcoder != nil else { return try validate(bytes) }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Self.stretch)
            var output: [UInt8] = []
            let isValid =
                transcoder?.decode(bytes.extracting(start..<end), into: &output) ?? false
            try validate(output.span)
            guard isValid else { throw try refuse(.encoding, at: pushed + Int64(pending.count)) }
            start = end
        }
    }

    private func validate(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
        var start = 0
        while !partial.isEmpty, start < bytes.count {
            partial.append(bytes[start])
            start += 1
            let valid = Self.validPrefix(partial.span)
            if valid.count > 0 {
                let whole = partial
                partial = []
                try take(whole.span)
            } else if !valid.isCut {
                throw try refuse(.encoding, at: pushed + Int64(pending.count))
            }
        }
        while start < bytes.count {
            let end = min(bytes.count, start + Self.stretch)
            let stretch = bytes.extracting(start..<end)
            let valid = Self.validPrefix(stretch)
            if valid.count > 0 { try take(stretch.extracting(..<valid.count)) }
            start += valid.count
            if start == end { continue }
            guard valid.isCut else {
                throw try refuse(.encoding, at: pushed + Int64(pending.count))
            }
            if end == bytes.count {
                while start < end {
                    partial.append(bytes[start])
                    start += 1
                }
            }
        }
    }

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
