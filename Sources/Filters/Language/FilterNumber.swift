/// Reads numbers with their units.
enum FilterNumber {
    /// The result of reading.
    enum Outcome: Hashable {
        /// A whole number: nanoseconds of a duration, bytes of a size; never the least or greatest.
        case number(Int64)
        /// The text is not a number of this type.
        case notANumber
        /// The number is too large, or finer than a nanosecond or a byte.
        case outOfRange
    }

    /// Reads all of `text`; with `isOpcode`, the names of WebSocket opcodes are numbers as well.
    static func read(_ text: Substring, as kind: FieldDetails.Kind, isOpcode: Bool) -> Outcome {
        switch kind {
        case .duration: return measure(text, Self.nanoseconds, isChain: true)
        case .size: return measure(text, Self.bytes, isChain: false)
        case .integer, .boolean, .text, .body, .words: break
        }
        if isOpcode, let opcode = Self.opcodes[text.lowercased()] { return .number(opcode) }
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return .notANumber
        }
        guard let number = Int64(digits), number < .max else { return .outOfRange }
        return .number(isNegative ? -number : number)
    }

    private static let opcodes: [String: Int64] = [
        "continuation": 0, "text": 1, "binary": 2, "close": 8, "ping": 9, "pong": 10,
    ]

    private static let nanoseconds: [String: Int64] = [
        "ns": 1, "us": 1000, "µs": 1000, "μs": 1000, "ms": 1_000_000, "s": 1_000_000_000,
        "m": 60_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000,
        "d": 86_400_000_000_000,
    ]

    private static let bytes: [String: Int64] = [
        "": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000,
        "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
    ]

    /// Reads numbers with one of `units` each: many in a chain such as `1h30m`, else one.
    private static func measure(
        _ text: Substring, _ units: [String: Int64], isChain: Bool
    ) -> Outcome {
        if text == "0" { return .number(0) }
        let scalars = Array(text.unicodeScalars)
        var position = 0
        var total: Int64 = 0
        repeat {
            let digits = run(scalars, &position, isDigit)
            var fraction = ""
            if position < scalars.count, scalars[position] == "." {
                position += 1
                fraction = run(scalars, &position, isDigit)
                if fraction.isEmpty { return .notANumber }
            }
            let unit = run(scalars, &position) { !isDigit($0) && $0 != "." }
            guard !digits.isEmpty, let factor = units[unit.lowercased()] else {
                return .notANumber
            }
            guard let amount = product(digits, fraction, factor) else { return .outOfRange }
            let (sum, overflow) = total.addingReportingOverflow(amount)
            if overflow || sum == .max { return .outOfRange }
            total = sum
        } while isChain && position < scalars.count
        return position == scalars.count ? .number(total) : .notANumber
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x30 && scalar.value <= 0x39
    }

    /// Consumes the scalars from `position` on that are `wanted`.
    private static func run(
        _ scalars: [Unicode.Scalar], _ position: inout Int, _ wanted: (Unicode.Scalar) -> Bool
    ) -> String {
        var text = String.UnicodeScalarView()
        while position < scalars.count, wanted(scalars[position]) {
            text.append(scalars[position])
            position += 1
        }
        return String(text)
    }

    /// `digits.fraction` times `factor`, where that is a whole number that fits.
    private static func product(_ digits: String, _ fraction: String, _ factor: Int64) -> Int64? {
        guard let whole = Int64(digits) else { return nil }
        var (result, overflow) = whole.multipliedReportingOverflow(by: factor)
        if overflow { return nil }
        // Each digit counts a tenth of the one before; the units are not powers of ten alone.
        var rest = factor
        var scaled: Int64 = 0
        var scale: Int64 = 1
        for digit in fraction.utf8 {
            let (nextScaled, over) = scaled.multipliedReportingOverflow(by: 10)
            let (nextScale, alsoOver) = scale.multipliedReportingOverflow(by: 10)
            if over || alsoOver { return nil }
            (scaled, scale) = (nextScaled + Int64(digit - 0x30), nextScale)
        }
        // Twos and fives that both have are taken out first, so that less overflows.
        for prime in [2, 5] as [Int64] {
            while rest % prime == 0, scale % prime == 0 {
                (rest, scale) = (rest / prime, scale / prime)
            }
        }
        guard scaled % scale == 0 else { return nil }
        let (part, partOverflow) = (scaled / scale).multipliedReportingOverflow(by: rest)
        if partOverflow { return nil }
        (result, overflow) = result.addingReportingOverflow(part)
        return overflow ? nil : result
    }
}
