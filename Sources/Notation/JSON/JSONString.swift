/// The text between the quotes of a JSON string, both ways.
package enum JSONString {
    /// Decodes scanned content with escapes and without lone surrogates.
    static func decode(_ bytes: [UInt8], _ content: Range<Int>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var place = content.lowerBound
        while place < content.upperBound {
            let byte = bytes[place]
            guard byte == 0x5C else {
                text.append(byte)
                place += 1
                continue
            }
            let (unit, length) = escape(bytes, at: place)
            place += length
            guard unit & 0xF800 == 0xD800 else {
                append(UInt32(unit), to: &text)
                continue
            }
            let (low, lowLength) = escape(bytes, at: place)
            place += lowLength
            append(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF)), to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The code units of scanned content.
    static func units(_ bytes: [UInt8], _ content: Range<Int>) -> [UInt16] {
        var units: [UInt16] = []
        units.reserveCapacity(content.count)
        var place = content.lowerBound
        var run = place
        while place < content.upperBound {
            guard bytes[place] == 0x5C else {
                place += 1
                continue
            }
            units.append(contentsOf: String(decoding: bytes[run..<place], as: UTF8.self).utf16)
            let (unit, length) = escape(bytes, at: place)
            units.append(unit)
            place += length
            run = place
        }
        units.append(contentsOf: String(decoding: bytes[run..<place], as: UTF8.self).utf16)
        return units
    }

    /// The code unit of the scanned escape at `place`, and its length.
    private static func escape(_ bytes: [UInt8], at place: Int) -> (UInt16, Int) {
        switch bytes[place + 1] {
        case 0x62: (0x08, 2)
        case 0x66: (0x0C, 2)
        case 0x6E: (0x0A, 2)
        case 0x72: (0x0D, 2)
        case 0x74: (0x09, 2)
        case 0x75: (Hexadecimal.unit(of: bytes.span, at: place + 2) ?? 0xFFFD, 6)
        case let other: (UInt16(other), 2)
        }
    }

    private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
        text.append(contentsOf: UTF8.encode(UnicodeScalar(scalar) ?? "\u{FFFD}") ?? .init())
    }

    // MARK: Writing

    /// The text with quotes, without any control character.
    package static func quoted(_ text: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + 2)
        write(text.utf8, escapesDelete: true, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends UTF-8 with quotes and the escapes that JSON demands (RFC 8259, section 7).
    ///
    /// - Parameters:
    ///   - bytes: The text; what is not UTF-8 stays as it is.
    ///   - escapesDelete: Whether U+007F is escaped as well, which terminals treat as a control
    ///     character.
    ///   - output: What it is appended to.
    package static func write(
        _ bytes: some Sequence<UInt8>, escapesDelete: Bool = false, to output: inout [UInt8]
    ) {
        // A pass over the elements of any sequence takes some calls for each in other modules.
        let isWritten: Void? = bytes.withContiguousStorageIfAvailable {
            write($0, escapesDelete: escapesDelete, to: &output)
        }
        guard isWritten == nil else { return }
        Array(bytes).withUnsafeBufferPointer {
            write($0, escapesDelete: escapesDelete, to: &output)
        }
    }

    private static func write(
        _ bytes: UnsafeBufferPointer<UInt8>, escapesDelete: Bool, to output: inout [UInt8]
    ) {
        output.append(0x22)
        var run = bytes.startIndex
        for place in bytes.indices {
            let byte = bytes[place]
            guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F && escapesDelete
            else { continue }
            output.append(contentsOf: bytes[run..<place])
            run = place + 1
            if byte == 0x7F { writeUnit(0x7F, to: &output) } else { write(byte, to: &output) }
        }
        output.append(contentsOf: bytes[run...])
        output.append(0x22)
    }

    /// Appends `text` with quotes and everything beyond ASCII escaped, as Python does.
    static func writeASCII(_ text: String, to output: inout [UInt8]) {
        output.append(0x22)
        for unit in text.utf16 {
            if unit < 0x80 {
                write(UInt8(unit), to: &output)
            } else {
                writeUnit(unit, to: &output)
            }
        }
        output.append(0x22)
    }

    private static func write(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case 0x22, 0x5C:
            output.append(0x5C)
            output.append(byte)
        case 0x08: output.append(contentsOf: [0x5C, 0x62])
        case 0x0C: output.append(contentsOf: [0x5C, 0x66])
        case 0x0A: output.append(contentsOf: [0x5C, 0x6E])
        case 0x0D: output.append(contentsOf: [0x5C, 0x72])
        case 0x09: output.append(contentsOf: [0x5C, 0x74])
        case 0..<0x20: writeUnit(UInt16(byte), to: &output)
        default: output.append(byte)
        }
    }

    private static func writeUnit(_ unit: UInt16, to output: inout [UInt8]) {
        output.append(contentsOf: [0x5C, 0x75])
        Hexadecimal.append(UInt8(unit >> 8), to: &output)
        Hexadecimal.append(UInt8(unit & 0xFF), to: &output)
    }
}
