import Notation

/// How text is spelled at its place.
enum Spelling: Hashable, Sendable {
    /// As it is.
    case plain
    /// With percent-escapes, as in a path and in the insertions of a string delta.
    case percent
    /// With percent-escapes and `+` for a space, as in a query or form.
    case form
    /// As the inside of a JSON string.
    case json
    /// As the text or an attribute of XML, with references.
    case xml
}

/// Text together with the spelling it has, so that other characters can be spelled the same way.
struct SpelledText {
    /// An escape: its place in the spelled bytes, and its text.
    private struct Escape {
        var spelled: Range<Int>
        var text: Range<Int>
    }

    /// The text.
    private(set) var text: [UInt8]
    private let spelled: [UInt8]
    private let spelling: Spelling
    private var escapes: [Escape] = []

    /// Reads `spelled`; an invalid escape is literal text.
    init(_ spelled: [UInt8], _ spelling: Spelling) {
        self.spelled = spelled
        self.spelling = spelling
        let marks: (UInt8) -> Bool =
            switch spelling {
            case .plain: { _ in false }
            case .percent: { $0 == 0x25 }
            case .form: { $0 == 0x25 || $0 == 0x2B }
            case .json: { $0 == 0x5C }
            case .xml: { $0 == 0x26 }
            }
        guard spelling != .plain, spelled.contains(where: marks) else {
            text = spelled
            return
        }
        text = []
        text.reserveCapacity(spelled.count)
        var position = 0
        while position < spelled.count {
            guard marks(spelled[position]), let (size, bytes) = escape(at: position) else {
                text.append(spelled[position])
                position += 1
                continue
            }
            escapes.append(
                Escape(
                    spelled: position..<position + size,
                    text: text.count..<text.count + bytes.count))
            text += bytes
            position += size
        }
    }

    /// `other`, a text of the same shape, in this spelling; as long as it was.
    func spell(_ other: [UInt8]) -> [UInt8] {
        guard other.count == text.count else { return spelled }
        guard !escapes.isEmpty else { return other }
        var result: [UInt8] = []
        result.reserveCapacity(spelled.count)
        var position = 0
        for escape in escapes {
            result += other[position..<escape.text.lowerBound]
            position = escape.text.upperBound
            let old = spelled[escape.spelled]
            result +=
                other[escape.text] == text[escape.text]
                ? Array(old) : write(other[escape.text], as: old)
        }
        return result + other[position...]
    }

    // MARK: Reading

    private func escape(at position: Int) -> (size: Int, bytes: [UInt8])? {
        switch spelling {
        case .plain: return nil
        case .percent, .form:
            if spelled[position] == 0x2B { return (1, [0x20]) }
            return hexadecimal(position + 1, 2).map { (3, [UInt8(truncatingIfNeeded: $0)]) }
        case .json: return jsonEscape(at: position)
        case .xml: return reference(at: position)
        }
    }

    private func hexadecimal(_ start: Int, _ count: Int) -> UInt32? {
        guard start + count <= spelled.count else { return nil }
        var value: UInt32 = 0
        for byte in spelled[start..<start + count] {
            guard let digit = Hexadecimal.digit(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private func jsonEscape(at position: Int) -> (Int, [UInt8])? {
        guard position + 1 < spelled.count else { return nil }
        switch spelled[position + 1] {
        case UInt8(ascii: "n"): return (2, [0x0A])
        case UInt8(ascii: "r"): return (2, [0x0D])
        case UInt8(ascii: "t"): return (2, [0x09])
        case UInt8(ascii: "b"): return (2, [0x08])
        case UInt8(ascii: "f"): return (2, [0x0C])
        case 0x22, 0x2F, 0x5C: return (2, [spelled[position + 1]])
        case UInt8(ascii: "u"):
            guard let first = hexadecimal(position + 2, 4) else { return nil }
            if (0xD800..<0xDC00).contains(first), position + 7 < spelled.count,
                spelled[position + 6] == 0x5C, spelled[position + 7] == UInt8(ascii: "u"),
                let second = hexadecimal(position + 8, 4), (0xDC00..<0xE000).contains(second)
            {
                return (12, Self.utf8(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)))
            }
            return (6, Self.utf8(first))
        default: return nil
        }
    }

    private func reference(at position: Int) -> (Int, [UInt8])? {
        let end = spelled[position...].prefix(12).firstIndex(of: 0x3B)
        guard let end, end > position + 1 else { return nil }
        let name = spelled[position + 1..<end]
        let size = end + 1 - position
        if let named = Self.named[String(decoding: name, as: UTF8.self)] { return (size, [named]) }
        guard name.first == 0x23 else { return nil }
        let digits = String(decoding: name.dropFirst(), as: UTF8.self)
        let value =
            digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let value, value > 0, value <= 0x10FFFF else { return nil }
        return (size, Self.utf8(value))
    }

    private static let named: [String: UInt8] = [
        "amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27,
    ]

    private static func utf8(_ scalar: UInt32) -> [UInt8] {
        Array(String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }

    // MARK: Writing

    /// `bytes` in the form of the escape `old`.
    private func write(_ bytes: ArraySlice<UInt8>, as old: ArraySlice<UInt8>) -> [UInt8] {
        let isLower = old.contains { (0x61...0x66).contains($0) }
        func digits(_ value: UInt32, _ count: Int) -> [UInt8] {
            let text = String(value, radix: 16, uppercase: !isLower)
            return Array(
                (String(repeating: "0", count: max(0, count - text.utf8.count)) + text).utf8)
        }
        let byte = UInt32(bytes.first ?? 0)
        switch spelling {
        case .plain: return Array(bytes)
        case .percent, .form: return old.count == 3 ? [0x25] + digits(byte, 2) : Array(old)
        case .json:
            // Only the long form spells what can be replaced.
            guard old.count >= 6 else { return Array(old) }
            let units = Array(String(decoding: bytes, as: UTF8.self).utf16)
            guard units.count * 6 == old.count else { return Array(old) }
            return units.flatMap { [0x5C, UInt8(ascii: "u")] + digits(UInt32($0), 4) }
        case .xml:
            guard let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first else {
                return Array(old)
            }
            let isHexadecimal = old.dropFirst(2).first == UInt8(ascii: "x")
            let room = old.count - (isHexadecimal ? 4 : 3)
            guard room > 0 else { return Array(old) }
            var number =
                isHexadecimal ? digits(scalar.value, room) : Array(String(scalar.value).utf8)
            // A letter that takes one digit more than there is room for becomes the last that fits.
            if number.count > room { number = [UInt8](repeating: 0x39, count: room) }
            number = [UInt8](repeating: 0x30, count: room - number.count) + number
            return [0x26, 0x23] + (isHexadecimal ? [UInt8(ascii: "x")] : []) + number + [0x3B]
        }
    }
}

extension Spelling {
    /// The ways in which `text` is usually spelled somewhere, apart from as it is.
    ///
    /// Escapes as `encodeURIComponent`, JSON writers and XML writers make them, in either case of
    /// digits.
    static func variants(of text: [UInt8]) -> [(spelled: [UInt8], spelling: Spelling)] {
        var found: [(spelled: [UInt8], spelling: Spelling)] = []
        func add(_ spelled: [UInt8], _ spelling: Spelling) {
            guard spelled != text, !found.contains(where: { $0.spelled == spelled }) else { return }
            found.append((spelled, spelling))
        }
        for isUpper in [true, false] {
            add(text.flatMap { escape($0, isUpper, spaceAsPlus: false) }, .percent)
            add(text.flatMap { escape($0, isUpper, spaceAsPlus: true) }, .form)
            let string = String(decoding: text, as: UTF8.self)
            add(string.utf16.flatMap { quote($0, isUpper, slash: false) }, .json)
            add(string.utf16.flatMap { quote($0, isUpper, slash: true) }, .json)
        }
        add(text.flatMap { quote($0) }, .json)
        add(text.flatMap { refer($0, quotes: true) }, .xml)
        add(text.flatMap { refer($0, quotes: false) }, .xml)
        return found
    }

    private static func escape(_ byte: UInt8, _ isUpper: Bool, spaceAsPlus: Bool) -> [UInt8] {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: return [byte]
        case 0x20 where spaceAsPlus: return [0x2B]
        default:
            let digits = String(byte, radix: 16, uppercase: isUpper)
            return Array(("%" + (byte < 16 ? "0" : "") + digits).utf8)
        }
    }

    private static func quote(_ unit: UInt16, _ isUpper: Bool, slash: Bool) -> [UInt8] {
        guard unit >= 0x80 else {
            let byte = UInt8(truncatingIfNeeded: unit)
            return byte == 0x2F && slash ? [0x5C, 0x2F] : quote(byte)
        }
        let digits = String(unit, radix: 16, uppercase: isUpper)
        return Array(("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
    }

    private static func quote(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case 0x22, 0x5C: [0x5C, byte]
        case 0x0A: [0x5C, UInt8(ascii: "n")]
        case 0x0D: [0x5C, UInt8(ascii: "r")]
        case 0x09: [0x5C, UInt8(ascii: "t")]
        default: [byte]
        }
    }

    private static func refer(_ byte: UInt8, quotes: Bool) -> [UInt8] {
        switch byte {
        case 0x26: Array("&amp;".utf8)
        case 0x3C: Array("&lt;".utf8)
        case 0x3E: Array("&gt;".utf8)
        case 0x22 where quotes: Array("&quot;".utf8)
        case 0x27 where quotes: Array("&#39;".utf8)
        default: [byte]
        }
    }
}
