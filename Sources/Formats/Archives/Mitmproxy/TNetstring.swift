/// A value of a typed netstring: `LENGTH:PAYLOAD` and a byte with its type.
///
/// Refers to the bytes that it was found in and reads its contents on demand, so that it needs no
/// further memory at any depth. Source: tnetstrings.info, and `;` for text as mitmproxy writes it.
public struct TNetstring: Hashable, Sendable {
    /// What a value is, by the byte after its payload.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// `,`: bytes.
        case bytes = 0x2C
        /// `;`: text in UTF-8.
        case text = 0x3B
        /// `#`: a whole number in decimal.
        case integer = 0x23
        /// `^`: a number with a fraction.
        case float = 0x5E
        /// `!`: `true` or `false`.
        case boolean = 0x21
        /// `~`: nothing.
        case null = 0x7E
        /// `]`: values one after the other.
        case list = 0x5D
        /// `}`: keys and values in turn.
        case dictionary = 0x7D
    }

    /// An error in a typed netstring, with its place.
    public struct Mistake: Error, Hashable, Sendable {
        /// Place in the bytes that were parsed, by the indices of their slice.
        public var offset: Int
        /// The error, as text.
        public var detail: String
    }

    /// What it is.
    public let kind: Kind
    /// The bytes between length and type.
    public let payload: ArraySlice<UInt8>

    /// The maximum number of digits of a length, as in mitmproxy.
    public static let longestLength = 12

    /// The value that `bytes` begin with.
    ///
    /// - Parameter bytes: The bytes; what follows the value stays in them.
    /// - Throws: ``Mistake`` where they begin with none, or it is cut off.
    public init(parsing bytes: inout ArraySlice<UInt8>) throws(Mistake) {
        let start = bytes.startIndex
        let (length, first) = try Self.length(of: bytes)
        guard length < bytes.endIndex - first else {
            throw Mistake(offset: start, detail: "a value of \(length) bytes is cut off")
        }
        let end = first + length
        guard let kind = Kind(rawValue: bytes[end]) else {
            throw Mistake(offset: end, detail: "no type of value has the byte \(bytes[end])")
        }
        self.kind = kind
        payload = bytes[first..<end]
        bytes = bytes[(end + 1)...]
    }

    /// The length that `bytes` begin with, and the index after its colon.
    static func length(of bytes: ArraySlice<UInt8>) throws(Mistake) -> (Int, Int) {
        var length = 0
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte == 0x3A, index > bytes.startIndex { return (length, index + 1) }
            guard (0x30...0x39).contains(byte), index - bytes.startIndex < longestLength else {
                break
            }
            length = 10 * length + Int(byte - 0x30)
        }
        throw Mistake(offset: bytes.startIndex, detail: "no length and colon is here")
    }

    // MARK: What it holds

    /// The values of a list, in order, until one of them is invalid or `body` ends it.
    ///
    /// - Throws: ``Mistake`` where it is not a list, or one of them is none.
    public func eachValue(_ body: (TNetstring) throws(Mistake) -> Bool) throws(Mistake) {
        guard kind == .list else { throw mistake("a list was expected") }
        var rest = payload
        while !rest.isEmpty {
            let value = try TNetstring(parsing: &rest)
            guard try body(value) else { return }
        }
    }

    /// The first values of a list.
    ///
    /// - Throws: ``Mistake`` where it is not a list, or one of them is none.
    public func values(atMost count: Int) throws(Mistake) -> [TNetstring] {
        var found: [TNetstring] = []
        try eachValue { value throws(Mistake) in
            found.append(value)
            return found.count < count
        }
        return found
    }

    /// The value of `key` in a dictionary, the last of several; nil where there is none, or null.
    ///
    /// - Throws: ``Mistake`` where it is not a dictionary, or is invalid.
    public func value(_ key: String) throws(Mistake) -> TNetstring? {
        guard kind == .dictionary else { throw mistake("a dictionary was expected") }
        var found: TNetstring?
        var rest = payload
        while !rest.isEmpty {
            let name = try TNetstring(parsing: &rest)
            let value = try TNetstring(parsing: &rest)
            guard name.kind == .text || name.kind == .bytes else {
                throw name.mistake("a key is not text")
            }
            if name.payload.elementsEqual(key.utf8) { found = value.kind == .null ? nil : value }
        }
        return found
    }

    /// The bytes of text or bytes.
    public var bytes: ArraySlice<UInt8>? { kind == .bytes || kind == .text ? payload : nil }

    /// Text or bytes as a string, with what is not UTF-8 replaced.
    public var string: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// A whole number.
    public var integer: Int64? {
        kind == .integer && payload.count <= 20
            ? Int64(String(decoding: payload, as: UTF8.self)) : nil
    }

    /// A number, whole or not, that is finite.
    public var number: Double? {
        guard kind == .float || kind == .integer, payload.count <= 64,
            let number = Double(String(decoding: payload, as: UTF8.self)), number.isFinite
        else { return nil }
        return number
    }

    /// `true` or `false`.
    public var boolean: Bool? {
        guard kind == .boolean else { return nil }
        return payload.elementsEqual("true".utf8)
            ? true : payload.elementsEqual("false".utf8) ? false : nil
    }

    /// An error at this value.
    func mistake(_ detail: String) -> Mistake {
        Mistake(offset: payload.startIndex, detail: detail)
    }
}
