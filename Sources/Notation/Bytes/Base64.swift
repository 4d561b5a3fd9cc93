/// Bytes as text of 64 characters (RFC 4648, section 4).
package enum Base64 {
    /// What is read although the standard alphabet with padding does not have it.
    package struct Leniency: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Padding may be missing.
        package static let unpadded = Leniency(rawValue: 1)
        /// `-` and `_` replace `+` and `/` (RFC 4648, section 5).
        package static let urlAlphabet = Leniency(rawValue: 2)
        /// Spaces, tabs and line breaks are allowed anywhere (RFC 2045, section 6.8).
        package static let whitespace = Leniency(rawValue: 4)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    // MARK: Writing

    /// The encoding of `bytes`, padded.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.underestimatedCount + 2) / 3 * 4)
        encode(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the encoding of `bytes`, padded.
    package static func encode(_ bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
        // A pass over the elements of any sequence takes some calls for each in other modules.
        let isWritten: Void? = bytes.withContiguousStorageIfAvailable { encode($0, to: &output) }
        guard isWritten == nil else { return }
        Array(bytes).withUnsafeBufferPointer { encode($0, to: &output) }
    }

    private static func encode(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        var (group, count): (UInt32, Int) = (0, 0)
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            count += 1
            guard count == 3 else { continue }
            append(group, digits: 4, to: &output)
            (group, count) = (0, 0)
        }
        guard count > 0 else { return }
        append(group << UInt32(8 * (3 - count)), digits: count + 1, to: &output)
        for _ in count..<3 { output.append(UInt8(ascii: "=")) }
    }

    private static func append(_ group: UInt32, digits: Int, to output: inout [UInt8]) {
        for place in 0..<digits {
            output.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)])
        }
    }

    // MARK: Reading

    /// The bytes encoded in `text`; nil where it is not Base64, or not as strict as required.
    ///
    /// Bits after the last byte are not inspected.
    package static func decode(
        _ text: some Sequence<UInt8>, _ leniency: Leniency = []
    ) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.underestimatedCount / 4 * 3)
        var (bits, characters, padding): (UInt32, Int, Int) = (0, 0, 0)
        for byte in text {
            if let value = value(byte, leniency.contains(.urlAlphabet)) {
                guard padding == 0 else { return nil }
                bits = bits << 6 | UInt32(value)
                characters += 1
                guard characters & 3 != 1 else { continue }
                let rest = UInt32(characters & 3 == 0 ? 0 : 8 - 2 * (characters & 3))
                output.append(UInt8(truncatingIfNeeded: bits >> rest))
            } else if byte == UInt8(ascii: "=") {
                padding += 1
            } else {
                guard leniency.contains(.whitespace), [0x09, 0x0A, 0x0D, 0x20].contains(byte)
                else { return nil }
            }
        }
        let isWhole = (characters + padding) & 3 == 0 && padding <= 2
        let isEnough = leniency.contains(.unpadded) && padding <= 2
        return characters & 3 != 1 && (isWhole || isEnough) ? output : nil
    }

    /// The six bits of a character of the alphabet.
    package static func value(_ byte: UInt8, _ allowsURLAlphabet: Bool) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x47
        case 0x30...0x39: byte + 4
        case 0x2B: 62
        case 0x2F: 63
        case 0x2D where allowsURLAlphabet: 62
        case 0x5F where allowsURLAlphabet: 63
        default: nil
        }
    }
}
