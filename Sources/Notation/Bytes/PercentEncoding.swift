/// Bytes as `%` with two hexadecimal digits (RFC 3986, section 2.1).
package enum PercentEncoding {
    // MARK: Writing

    /// `text` with everything escaped but the characters of `kept`.
    package static func encode(
        _ text: some StringProtocol, keeping kept: ASCIISet = .unreserved
    ) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        encode(text.utf8, keeping: kept, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends `bytes` with everything escaped but the characters of `kept`.
    package static func encode(
        _ bytes: some Sequence<UInt8>, keeping kept: ASCIISet = .unreserved,
        to output: inout [UInt8]
    ) {
        for byte in bytes {
            if kept.contains(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                Hexadecimal.append(byte, to: &output, isUppercase: true)
            }
        }
    }

    // MARK: Reading

    /// The decoded bytes of `text`; an invalid escape is literal text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - plusIsSpace: Whether `+` is a space, as in forms.
    /// - Returns: The bytes.
    package static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        let bytes = Array(text)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "%"), let byte = byte(bytes, at: place + 1) {
                output.append(byte)
                place += 3
            } else {
                let isSpace = plusIsSpace && bytes[place] == UInt8(ascii: "+")
                output.append(isSpace ? 0x20 : bytes[place])
                place += 1
            }
        }
        return output
    }

    /// The decoded bytes of `text`; nil where a `%` does not begin an escape.
    package static func decodeStrictly(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let bytes = Array(text)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "%") else {
                output.append(bytes[place])
                place += 1
                continue
            }
            guard let byte = byte(bytes, at: place + 1) else { return nil }
            output.append(byte)
            place += 3
        }
        return output
    }

    private static func byte(_ bytes: [UInt8], at place: Int) -> UInt8? {
        guard place + 1 < bytes.count, let high = Hexadecimal.digit(bytes[place]),
            let low = Hexadecimal.digit(bytes[place + 1])
        else { return nil }
        return high << 4 | low
    }
}
