import Notation

extension StringDelta {
    /// Parses a delta in its wire form.
    ///
    /// - Throws: ``DeltaError``, with the offset in bytes of the UTF-8 text.
    public init(parsing text: String) throws(DeltaError) {
        let bytes = Array(text.utf8)
        var steps: [Step] = []
        // Of one edit.
        steps.reserveCapacity(3)
        var length = 0
        var isOdd = bytes.last == 0x09
        var place = 0
        while place < bytes.count {
            let start = place
            while place < bytes.count, bytes[place] != 0x09 { place += 1 }
            let token = start..<place
            place += 1
            guard !token.isEmpty else {
                isOdd = true
                continue
            }
            let content = start + 1..<token.upperBound
            switch bytes[start] {
            case 0x2B:
                if content.isEmpty { isOdd = true }
                steps.append(.insert(try Self.unescape(bytes, content)))
            case 0x3D, 0x2D:
                let count = try Self.count(bytes, content, token: start)
                if count == 0 { isOdd = true }
                let (sum, overflow) = length.addingReportingOverflow(count)
                guard !overflow else { throw .badCount(offset: start) }
                length = sum
                steps.append(bytes[start] == 0x3D ? .keep(count) : .drop(count))
            default: throw .unknownToken(bytes[start], offset: start)
            }
        }
        self.init(steps: steps, length: length, hasEmptySteps: isOdd)
    }

    /// The delta in its wire form.
    ///
    /// Neighbours of one kind are one token, and no token is empty. Of inserted text,
    /// ASCII letters, digits, space and `-_.!~*'();/?:@&=+$,#` stay; all else is UTF-8 with
    /// percent-escapes in upper case, as `encodeURI` has it in JavaScript.
    public var text: String {
        var bytes: [UInt8] = []
        for step in Self.merged(steps) {
            if !bytes.isEmpty { bytes.append(0x09) }
            switch step {
            case .keep(let count):
                bytes.append(0x3D)
                bytes.append(contentsOf: String(count).utf8)
            case .drop(let count):
                bytes.append(0x2D)
                bytes.append(contentsOf: String(count).utf8)
            case .insert(let text):
                bytes.append(0x2B)
                PercentEncoding.encode(text.utf8, keeping: .delta, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func count(
        _ bytes: [UInt8], _ digits: Range<Int>, token: Int
    ) throws(DeltaError) -> Int {
        guard !digits.isEmpty, digits.count <= 18 else { throw .badCount(offset: token) }
        var value = 0
        for byte in bytes[digits] {
            guard byte &- 0x30 < 10 else { throw .badCount(offset: token) }
            value = value * 10 + Int(byte &- 0x30)
        }
        return value
    }

    /// Decodes percent-escapes; a `+` is a plus sign, and what need not be escaped may be.
    private static func unescape(
        _ bytes: [UInt8], _ content: Range<Int>
    ) throws(DeltaError) -> String {
        guard bytes[content].contains(0x25) else {
            return String(decoding: bytes[content], as: UTF8.self)
        }
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var place = content.lowerBound
        while place < content.upperBound {
            guard bytes[place] == 0x25 else {
                text.append(bytes[place])
                place += 1
                continue
            }
            guard place + 2 < content.upperBound, let high = Hexadecimal.digit(bytes[place + 1]),
                let low = Hexadecimal.digit(bytes[place + 2])
            else { throw .badEscape(offset: place) }
            text.append(high << 4 | low)
            place += 3
        }
        guard let string = String(validating: text, as: UTF8.self) else {
            throw .notUTF8(offset: content.lowerBound)
        }
        return string
    }
}
