/// A start or end tag while its event is handled.
///
/// Cannot be kept: it refers to the parser's memory. Values are copied and counted on demand only.
public struct XMLTag: ~Copyable {
    // Safety: the stream calls the handler with this value and outlives the call.
    unowned(unsafe) let stream: XMLStream
    let local: UnsafePointer<UInt8>
    let prefix: UnsafePointer<UInt8>?
    let namespace: UnsafePointer<UInt8>?
    /// Five pointers per attribute: local name, prefix, namespace, begin and end of the value.
    let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?

    /// Number of the name, the same for the same name within one stream; -1 for the names after
    /// the first 4096.
    public let symbol: Int
    /// Number of attributes, namespace declarations not counted; 0 for an end tag.
    public let count: Int
    /// Elements around this one and itself, from 1.
    public let depth: Int

    /// Name of the element.
    public var name: XMLName {
        symbol >= 0
            ? stream.names.names[symbol] : stream.names.name(local, prefix, namespace)
    }

    /// Where the tag begins: its `<`.
    ///
    /// Scans the bytes since the last call.
    public var position: XMLPosition { stream.tagPosition() }

    /// Name of an attribute, in the order of the document.
    ///
    /// - Parameter index: In `0..<count`.
    /// - Returns: The name; without prefix it has no namespace.
    public func name(at index: Int) -> XMLName {
        precondition(index >= 0 && index < count)
        guard let attributes, let local = attributes[5 * index] else { return XMLName("") }
        return stream.names.name(local, attributes[5 * index + 1], attributes[5 * index + 2])
    }

    /// Value of an attribute.
    ///
    /// - Parameter index: In `0..<count`.
    /// - Returns: The value with references replaced and white space normalised.
    public func value(at index: Int) -> String {
        precondition(index >= 0 && index < count)
        guard let attributes, let begin = attributes[5 * index + 3],
            let end = attributes[5 * index + 4]
        else { return "" }
        let bytes = UnsafeBufferPointer(start: begin, count: end - begin)
        guard bytes.contains(0x26) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: Self.unescaped(bytes), as: UTF8.self)
    }

    /// libxml2 leaves every ampersand of a value as `&#38;` where it is not to expand entities.
    private static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.first {
            result.append(byte)
            let isEscape = byte == 0x26 && rest.starts(with: "&#38;".utf8)
            rest = rest.dropFirst(isEscape ? 5 : 1)
        }
        return result
    }

    /// Value of the first attribute with this local name, whatever its namespace.
    public subscript(_ local: StaticString) -> String? {
        for index in 0..<count where isLocalName(local, at: index) { return value(at: index) }
        return nil
    }

    private func isLocalName(_ wanted: StaticString, at index: Int) -> Bool {
        guard let attributes, let name = attributes[5 * index] else { return false }
        // libxml2's names end with a zero, and no name holds one.
        return wanted.withUTF8Buffer { wanted in
            for (place, byte) in wanted.enumerated() where name[place] != byte { return false }
            return name[wanted.count] == 0
        }
    }
}
