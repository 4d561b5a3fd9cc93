/// Formats scanned JSON; numbers, strings, order and duplicates are unchanged.
public enum JSONText {
    /// One line without space between the tokens.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - limit: Bytes after which the rest is left out; the text then ends in `…`.
    /// - Returns: JSON, where nothing was left out.
    public static func compact(_ node: JSONDocument.Node, limit: Int = 64 << 20) -> String {
        print(node, indent: nil, limit: limit)
    }

    /// One line with a space after commas and colons, as Python's `json.dumps` writes it.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - limit: Bytes after which the rest is left out; the text then ends in `…`.
    /// - Returns: JSON, where nothing was left out.
    public static func spaced(_ node: JSONDocument.Node, limit: Int = 64 << 20) -> String {
        print(node, indent: nil, isSpaced: true, limit: limit)
    }

    /// One line per member and element.
    ///
    /// Deep nesting makes the text much longer than what was sent, hence the limit.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - indent: Spaces per level, at least 0.
    ///   - limit: Bytes after which the rest is left out; the text then ends in `…`.
    /// - Returns: JSON, where nothing was left out.
    public static func pretty(
        _ node: JSONDocument.Node, indent: Int = 2, limit: Int = 16 << 20
    ) -> String {
        print(node, indent: max(0, indent), limit: limit)
    }

    private struct Level {
        /// Index on the tape after the last token of the container.
        let end: Int
        let isObject: Bool
    }

    private static func print(
        _ node: JSONDocument.Node, indent: Int?, isSpaced: Bool = false, limit: Int
    ) -> String {
        let tape = node.storage.tape
        var output: [UInt8] = []
        var levels: [Level] = []
        var index = node.index
        let end = index < tape.count ? Int(tape[index].next) : index
        var isFirst = true
        var isValueOfKey = false
        func newLine() {
            guard let indent else { return }
            output.append(0x0A)
            output.append(contentsOf: repeatElement(0x20, count: indent * levels.count))
        }
        while true {
            while let level = levels.last, index >= level.end {
                levels.removeLast()
                if !isFirst { newLine() }
                output.append(level.isObject ? 0x7D : 0x5D)
                isFirst = false
            }
            guard index < end else { break }
            guard output.count < limit else {
                output.append(contentsOf: "…".utf8)
                break
            }
            let token = tape[index]
            if isValueOfKey {
                isValueOfKey = false
            } else if let level = levels.last {
                if !isFirst {
                    output.append(0x2C)
                    if isSpaced { output.append(0x20) }
                }
                newLine()
                isValueOfKey = level.isObject
            }
            isFirst = false
            index += 1
            switch token.kind {
            case .array, .object:
                let isObject = token.kind == .object
                output.append(isObject ? 0x7B : 0x5B)
                levels.append(Level(end: Int(token.next), isObject: isObject))
                isFirst = true
            default:
                output.append(contentsOf: node.storage.bytes[Int(token.start)..<Int(token.end)])
                if isValueOfKey {
                    output.append(0x3A)
                    if isSpaced || indent != nil { output.append(0x20) }
                }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
