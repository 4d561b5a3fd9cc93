/// A change of a string: what is kept, dropped and inserted, from its start to its end.
///
/// On the wire `=2\t-1\t+d`: tokens separated by TAB, counts in UTF-16 code units, inserted text
/// percent-escaped. Source: the delta format of diff-match-patch as jsondiff uses it.
public struct StringDelta: Hashable, Sendable {
    /// One step through the old string.
    public enum Step: Hashable, Sendable {
        /// So many code units stay.
        case keep(Int)
        /// So many code units go.
        case drop(Int)
        /// This text comes in.
        case insert(String)
    }

    /// The steps, in order.
    public let steps: [Step]
    /// Length of the string it applies to, in UTF-16 code units.
    public let length: Int
    /// Whether a token says nothing: `=0`, `-0`, a bare `+`, or two TABs in a row.
    ///
    /// Correct clients send none.
    public let hasEmptySteps: Bool

    /// Reads a delta as it stands on the wire.
    ///
    /// - Throws: ``DeltaError``, with the offset in bytes of the UTF-8 text.
    public init(parsing text: String) throws(DeltaError) {
        let bytes = Array(text.utf8)
        var steps: [Step] = []
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
        self.steps = steps
        self.length = length
        hasEmptySteps = isOdd
    }

    /// The string that `base` becomes.
    ///
    /// - Throws: ``DeltaError``: ``DeltaError/length(delta:base:fits:)`` where the counts are not
    ///   those of `base`, ``DeltaError/halfPair(unit:)`` where the result would be no text.
    public func apply(to base: String) throws(DeltaError) -> String {
        let units = Array(base.utf16)
        guard length == units.count else {
            throw .length(delta: length, base: units.count, fits: Self.fit(length, base))
        }
        var result: [UInt16] = []
        result.reserveCapacity(units.count)
        var place = 0
        for step in steps {
            switch step {
            case .keep(let count):
                result.append(contentsOf: units[place..<place + count])
                place += count
            case .drop(let count): place += count
            case .insert(let text): result.append(contentsOf: text.utf16)
            }
        }
        if let unit = Self.loneSurrogate(result) { throw .halfPair(unit: unit) }
        return String(decoding: result, as: UTF16.self)
    }

    /// Whether a step begins or ends between the two halves of a surrogate pair of `base`.
    public func splitsPair(of base: String) -> Bool {
        let units = Array(base.utf16)
        var place = 0
        for step in steps {
            switch step {
            case .keep(let count), .drop(let count):
                guard count <= units.count - place else { return false }
                place += count
                if place > 0, place < units.count, units[place - 1] & 0xFC00 == 0xD800,
                    units[place] & 0xFC00 == 0xDC00
                {
                    return true
                }
            case .insert: break
            }
        }
        return false
    }

    /// Other ways of counting by which `length` is that of `base`.
    private static func fit(_ length: Int, _ base: String) -> DeltaError.Counting? {
        if base.unicodeScalars.count == length { return .codePoints }
        if base.utf8.count == length { return .utf8Bytes }
        return nil
    }

    private static func loneSurrogate(_ units: [UInt16]) -> Int? {
        var place = 0
        while place < units.count {
            let unit = units[place]
            if unit & 0xF800 == 0xD800 {
                guard unit < 0xDC00, place + 1 < units.count,
                    units[place + 1] & 0xFC00 == 0xDC00
                else { return place }
                place += 1
            }
            place += 1
        }
        return nil
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

    /// Undoes percent-escapes; a `+` is a plus sign, and what need not be escaped may be.
    private static func unescape(
        _ bytes: [UInt8], _ content: Range<Int>
    ) throws(DeltaError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var place = content.lowerBound
        while place < content.upperBound {
            guard bytes[place] == 0x25 else {
                text.append(bytes[place])
                place += 1
                continue
            }
            guard place + 2 < content.upperBound, let high = digit(bytes[place + 1]),
                let low = digit(bytes[place + 2])
            else { throw .badEscape(offset: place) }
            text.append(high << 4 | low)
            place += 3
        }
        guard let string = String(validating: text, as: UTF8.self) else {
            throw .notUTF8(offset: content.lowerBound)
        }
        return string
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
