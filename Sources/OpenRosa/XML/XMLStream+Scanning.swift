import CLibXML2

/// From the scanner to libxml2.
extension XMLStream {
    /// The maximum number of bytes that wait for the end of their tag; longer ones are libxml2's, so
    /// that a tag that comes byte by byte is not read again with each.
    private static let longestWait = 1 << 13

    /// Lets the scanner read what it can, and libxml2 the rest.
    func scan(_ bytes: borrowing Span<UInt8>, with scanner: XMLScanner) throws(XMLError) {
        // What waits is markup, which ends with a `>`, or as much as a reference.
        if pending.count > 16, pending.count < Self.longestWait, !Self.hasEnd(bytes) {
            append(bytes)
            return
        }
        var isDoubtful = false
        if pending.isEmpty {
            bytes.withUnsafeBufferPointer { isDoubtful = scan($0, with: scanner) }
        } else {
            var whole = pending
            bytes.withUnsafeBufferPointer { whole.append(contentsOf: $0) }
            pending = []
            whole.withUnsafeBufferPointer { isDoubtful = scan($0, with: scanner) }
        }
        if let error { throw error }
        if isDoubtful || pending.count > Self.longestWait { try handOver() }
    }

    private static func hasEnd(_ bytes: borrowing Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { $0.contains(0x3E) }
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

    /// Lets libxml2 read on, which is told of the elements that are open.
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
