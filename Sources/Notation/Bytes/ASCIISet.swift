/// A set of ASCII characters, queried in constant time.
package struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// The characters of `text`; others than ASCII are left out.
    package init(_ text: some StringProtocol) {
        for byte in text.utf8 { insert(byte) }
    }

    /// The characters of both sets.
    package func union(_ other: ASCIISet) -> ASCIISet {
        var result = self
        result.low |= other.low
        result.high |= other.high
        return result
    }

    /// Whether `byte` is one of them; a byte outside of ASCII never is.
    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return (byte < 0x40 ? low : high) >> UInt64(byte & 0x3F) & 1 == 1
    }

    private mutating func insert(_ byte: UInt8) {
        guard byte < 0x80 else { return }
        let bit: UInt64 = 1 << UInt64(byte & 0x3F)
        if byte < 0x40 { low |= bit } else { high |= bit }
    }

    private static let lettersAndDigits = ASCIISet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    /// What never needs an escape in a URI (RFC 3986, section 2.3).
    package static let unreserved = lettersAndDigits.union(ASCIISet("-._~"))
    /// What stays in a path whose steps are not touched.
    package static let path = unreserved.union(ASCIISet("/"))
    /// What stays in a form (URL standard, application/x-www-form-urlencoded percent-encode set).
    package static let form = lettersAndDigits.union(ASCIISet("*-._"))
    /// What stays of an operation's text in a string delta: that which `encodeURI` of ECMAScript
    /// keeps, and a space.
    package static let delta = lettersAndDigits.union(ASCIISet(" !#$&'()*+,-./:;=?@_~"))
    /// Everything that shows but a space.
    package static let visible = lettersAndDigits.union(
        ASCIISet("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
    /// All of ASCII.
    package static let all = {
        var set = ASCIISet("")
        (set.low, set.high) = (.max, .max)
        return set
    }()
}
