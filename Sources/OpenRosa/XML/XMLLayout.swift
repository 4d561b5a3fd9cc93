/// Cuts a well-formed document in UTF-8 into its markup and lays it out.
struct XMLLayout {
    private let source: [UInt8]
    private let maxBytes: Int
    private var output: [UInt8] = []

    /// A layout of `source` in at most `maxBytes` bytes.
    init(_ source: [UInt8], maxBytes: Int) {
        self.source = source
        self.maxBytes = maxBytes
    }

    /// Lays the document out.
    mutating func run() -> String {
        let pieces = XMLPiece.all(of: source)
        let mixed = mixed(pieces)
        var depth = 0
        /// Depth of the outermost open element with text; its contents are unchanged.
        var verbatim: Int?
        var index = 0
        while index < pieces.count {
            let piece = pieces[index]
            if output.count > maxBytes { return cut() }
            switch piece.kind {
            case .start:
                if verbatim == nil { line(depth) }
                put(piece)
                depth += 1
                if verbatim == nil, mixed[index] { verbatim = depth }
                if verbatim == nil, index + 1 < pieces.count, pieces[index + 1].kind == .end {
                    // `<a></a>` stays on one line.
                    put(pieces[index + 1])
                    depth -= 1
                    index += 1
                }
            case .end:
                if verbatim == nil {
                    line(depth - 1)
                } else if verbatim == depth {
                    verbatim = nil
                }
                put(piece)
                depth -= 1
            case .empty, .other, .text:
                if verbatim == nil { line(depth) }
                put(piece)
            case .blank:
                if verbatim != nil { put(piece) }
            }
            index += 1
        }
        return output.count > maxBytes ? cut() : String(decoding: output, as: UTF8.self)
    }

    private mutating func line(_ depth: Int) {
        if !output.isEmpty { output.append(0x0A) }
        output.append(contentsOf: repeatElement(0x20, count: 2 * max(0, depth)))
    }

    private mutating func put(_ piece: XMLPiece) {
        // A single piece may be far longer than the result.
        let room = max(0, maxBytes + 4 - output.count)
        output.append(contentsOf: source[piece.bytes.prefix(room)])
    }

    private func cut() -> String {
        var end = min(maxBytes, output.count)
        while end > 0, end < output.count, output[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: output[..<end], as: UTF8.self) + "\n… cut after \(end) bytes"
    }

    /// For every start tag whether its element directly contains text.
    private func mixed(_ pieces: [XMLPiece]) -> [Bool] {
        var result = Array(repeating: false, count: pieces.count)
        var open: [Int] = []
        for (index, piece) in pieces.enumerated() {
            switch piece.kind {
            case .start: open.append(index)
            case .end: _ = open.popLast()
            case .text: if let innermost = open.last { result[innermost] = true }
            case .empty, .blank, .other: break
            }
        }
        // An element with white space alone and nothing else is not empty: the space is its text.
        for index in pieces.indices.dropLast(2)
        where pieces[index].kind == .start && pieces[index + 1].kind == .blank
            && pieces[index + 2].kind == .end
        {
            result[index] = true
        }
        return result
    }
}
