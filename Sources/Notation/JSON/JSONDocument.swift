/// A JSON text, scanned: a flat tape of values, each with the bytes it was read from.
///
/// Numbers keep their text, members their order and duplicate keys their place; strings are decoded
/// on demand. Copies share their storage.
///
///     let document = try JSONDocument.scan(Array(#"{"id": "a", "v": 1}"#.utf8))
///     document.root["v"]?.int  // 1
public struct JSONDocument: Sendable {
    final class Storage: Sendable {
        let bytes: [UInt8]
        let tape: [JSONToken]

        init(bytes: [UInt8], tape: [JSONToken]) {
            self.bytes = bytes
            self.tape = tape
        }
    }

    let storage: Storage

    /// Reads one JSON value with optional white space around it (RFC 8259, strictly).
    ///
    /// Time is linear in the length and memory at most 16 bytes per key and value; nesting uses no
    /// stack.
    ///
    /// - Parameters:
    ///   - bytes: What holds the text; offsets of nodes and errors are relative to it.
    ///   - range: The part of `bytes` that is the text; all of it where nil. It is clamped.
    ///   - limits: What is refused.
    /// - Returns: The document.
    /// - Throws: ``JSONError``, with the offset of the error.
    public static func scan(
        _ bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = .usual
    ) throws(JSONError) -> JSONDocument {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        let longest = Int(Int32.max)
        guard range.upperBound <= longest else { throw .tooLong(limit: longest, offset: longest) }
        var scanner = JSONScanner(in: range, limits: limits)
        try scanner.scan(bytes.span)
        return JSONDocument(storage: Storage(bytes: bytes, tape: scanner.tape))
    }

    /// The bytes that were given to the scanner.
    public var bytes: [UInt8] { storage.bytes }

    /// The outermost value.
    public var root: Node { Node(storage: storage, index: 0) }

    /// Number of keys and values in all.
    public var count: Int { storage.tape.count }
}
