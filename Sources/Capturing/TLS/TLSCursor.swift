/// Reads the numbers and length-prefixed vectors of the TLS presentation language.
///
/// Source: RFC 8446, 3. Everything is nil from the first value on that is not there.
struct TLSCursor {
    private var rest: ArraySlice<UInt8>

    /// A cursor at the start of `bytes`.
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Whether everything was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// A number of `width` bytes, most significant first.
    mutating func number(_ width: Int) -> Int? {
        bytes(width)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A vector with a length prefix of `width` bytes.
    mutating func vector(_ width: Int) -> ArraySlice<UInt8>? { number(width).flatMap { bytes($0) } }

    /// The extensions of a hello, by type; nil where they are cut short.
    ///
    /// Up to TLS 1.2 there may be none at all. Of two with one type, the first counts.
    mutating func extensions() -> [Int: ArraySlice<UInt8>]? {
        guard !isAtEnd else { return [:] }
        guard var list = vector(2).map(TLSCursor.init) else { return nil }
        var extensions: [Int: ArraySlice<UInt8>] = [:]
        while !list.isAtEnd {
            guard let type = list.number(2), let body = list.vector(2) else { return nil }
            if extensions[type] == nil { extensions[type] = body }
        }
        return extensions
    }

    /// What is printable ASCII as it is, and any other byte, and a backslash, as `\xNN`.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            if 0x21...0x7E ~= byte, byte != UInt8(ascii: "\\") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)
            }
        }
        return text
    }

    /// The names of an ALPN extension (RFC 7301, 3.1), as far as they are whole.
    static func protocols(_ body: ArraySlice<UInt8>?) -> [String] {
        var outer = TLSCursor(body ?? [])
        guard var list = outer.vector(2).map(TLSCursor.init) else { return [] }
        var names: [String] = []
        while let name = list.vector(1) { names.append(text(name)) }
        return names
    }
}
