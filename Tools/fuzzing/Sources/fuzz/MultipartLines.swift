internal import Framing

/// What a multipart parser says, as lines that do not depend on how the bytes are cut.
enum MultipartLines {
    /// Reads `bytes` in these pieces, as a body with the boundary `b`.
    static func read(
        _ bytes: [UInt8], _ pieces: [Range<Int>], _ limits: MultipartLimits
    ) -> [Lines<MultipartHead>.Line] {
        guard var parser = MultipartParser(boundary: "b", limits: limits) else { return [] }
        var lines = Lines<MultipartHead>()
        var content: Int64 = 0
        func handle(_ events: [MultipartEvent], base: Int) {
            for event in events {
                switch event {
                case .part(let head, let offset):
                    demand(head.bytes.count <= limits.maxHeadBytes, "heads are bounded")
                    lines.add(head, at: Int(offset))
                case .content(let range):
                    demand(!range.isEmpty, "content is never empty")
                    let piece = bytes[base + range.lowerBound..<base + range.upperBound]
                    content += Int64(piece.count)
                    lines.extend("content", piece)
                case .held(let bytes):
                    demand(bytes.count <= 6, "no more is held than a delimiter")
                    content += Int64(bytes.count)
                    lines.extend("content", bytes)
                case .partEnd(let size, let offset):
                    demand(size == content, "the size is that of the content")
                    content = 0
                    lines.add("end of part", Int(offset))
                case .end(let offset): lines.add("end", Int(offset))
                case .failure(let error): lines.add("\(error)", Int(error.offset))
                }
            }
        }
        for piece in pieces {
            var events: [MultipartEvent] = []
            parser.consume(bytes.span.extracting(piece), into: &events)
            handle(events, base: piece.lowerBound)
        }
        var events: [MultipartEvent] = []
        parser.endOfStream(into: &events)
        handle(events, base: bytes.count)
        demand(parser.streamOffset == Int64(bytes.count), "the offset counts what was taken")
        return lines.finish()
    }
}
