import CLibXML2

/// From the scanner to libxml2.
extension XMLStream {
    /// The maximum number of bytes that wait for the end of their tag; longer ones are libxml2's, so
    /// that a tag that comes byte by byte is not read again with each.
    private static let longestWait = 1 << 13

    /// Lets the scanner read what it can, and libxml2 the rest.
    func scan(_ bytes: borrowing Span<UInt8>, with scanner: XMLScanner) throws(XMLError) {
        let end = Self.end(of: bytes)
        // What waits is markup, which ends with a `>`, or as much as a reference.
        if end == nil, pending.count > 16, pending.count < Self.longestWait {
            append(bytes)
            return
        }
        var isDoubtful = false
        var rest = 0
        if !pending.isEmpty, let end {
            // The rest need not be copied.
            append(bytes.extracting(..<end))
            isDoubtful = scanPending(with: scanner)
            rest = end
        }
        if isDoubtful || !pending.isEmpty, error == nil {
            append(bytes.extracting(rest...))
            if !isDoubtful { isDoubtful = scanPending(with: scanner) }
        } else if rest < bytes.count, error == nil {
            bytes.extracting(rest...).withUnsafeBufferPointer {
                isDoubtful = scan($0, with: scanner)
            }
        }
        if let error { throw error }
        if isDoubtful || pending.count > Self.longestWait { try handOver() }
    }

    /// The place after the first `>`.
    private static func end(of bytes: borrowing Span<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { $0.firstIndex(of: 0x3E).map { $0 + 1 } }
    }

    private func scanPending(with scanner: XMLScanner) -> Bool {
        let whole = pending
        pending = []
        return whole.withUnsafeBufferPointer { scan($0, with: scanner) }
    }

    private func scan(
        _ bytes: UnsafeBufferPointer<UInt8>, with scanner: XMLScanner
    ) -> Bool {
        current = bytes
        pushed += Int64(bytes.count)
        let (read, isDoubtful) = scanner.scan(
            bytes, isStart: pushed == Int64(bytes.count), for: self)
        if error == nil {
            let rest = bytes.count - read
            pushed -= Int64(rest)
            current = UnsafeBufferPointer(rebasing: bytes[..<read])
            walk(to: pushed)
            pending.append(contentsOf: bytes[read...])
        }
        current = nil
        return isDoubtful
    }

    /// Lets libxml2 read on, behind the tags of the elements that are open.
    func handOver() throws(XMLError) {
        guard let scanner else { return }
        self.scanner = nil
        scopes = scanner.elements[..<scanner.depth].map { UInt16(clamping: $0.declared) }
        segmenter.resume(
            at: pushed, open: scanner.state.open, hasTag: scanner.state.hasTag)
        if pushed > 0 {
            isRepeating = true
            scanner.repeatTags()
            isRepeating = false
        }
        let rest = pending
        pending = []
        try take(rest.span)
    }
}
