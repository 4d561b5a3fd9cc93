import Filters

/// Reads numbers as the filter language has them.
enum PlanNumbers {
    /// A whole number in decimal, or nil.
    static func integer(_ text: String) -> Int64? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// The nanoseconds of a number with a unit, or several; nil for anything else.
    static func duration(_ text: String) -> Int64? { measure(text, "duration") }

    /// A number of bytes, with or without a unit; nil for anything else.
    static func size(_ text: String) -> Int64? { measure(text, "size") }

    /// A number in 0...1, also in percent; nil for anything else.
    static func probability(_ text: String) -> Double? {
        let isPercent = text.hasSuffix("%")
        let digits = isPercent ? String(text.dropLast()) : text
        let isDecimal = digits.utf8.allSatisfy {
            (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x65].contains($0)
        }
        guard isDecimal, let number = Double(digits) else { return nil }
        return isPercent ? number / 100 : number
    }

    private static func measure(_ text: String, _ field: String) -> Int64? {
        // There is one way to write measures, that of filters.
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || (0x30...0x39).contains($0.value) || $0 == "."
        }
        guard isPlain, !text.isEmpty, let filter = try? Filter.parse("\(field)=\(text)"),
            case .comparison(let comparison) = filter.root,
            case .range(let range) = comparison.test, range.lowerBound == range.upperBound
        else { return nil }
        return range.lowerBound
    }
}
