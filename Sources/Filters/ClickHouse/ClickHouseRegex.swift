/// Writes expressions of the filter language for RE2, which ClickHouse searches with.
///
/// Written anew from the tree, not taken over: classes become ranges of scalars, so that case, `.` and
/// `\s` mean the same, and surrogates are left out, so that both take well-formed UTF-8 alone. Source:
/// RE2, "Syntax".
enum ClickHouseRegex {
    /// The expression for RE2 that is found wherever `regex` is.
    static func pattern(_ regex: LinearRegex) -> String {
        guard let syntax = try? RegexParser.parse(regex.pattern, caseInsensitive: false) else {
            return nothing
        }
        return text(syntax)
    }

    /// The expression that is found where all of a value fits `glob`.
    static func pattern(_ glob: Glob, ignoringCase: Bool) -> String {
        // `\C` is any byte: a star also stands for bytes that are not UTF-8.
        let parts = glob.literals.map { literal in
            literal.unicodeScalars.map { scalar in
                let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
                guard ignoringCase, isLetter else { return character(scalar.value) }
                return "[\(escape(scalar.value | 0x20))\(escape(scalar.value & ~0x20))]"
            }.joined()
        }
        return "\\A" + parts.joined(separator: "\\C*") + "\\z"
    }

    /// What is found nowhere.
    private static let nothing = "[^\\x{0}-\\x{10FFFF}]"

    private static func text(_ syntax: RegexSyntax) -> String {
        switch syntax {
        case .empty: return "(?:)"
        case .scalar(let set): return text(set)
        case .sequence(let items): return "(?:" + items.map(text).joined() + ")"
        case .choice(let branches): return "(?:" + branches.map(text).joined(separator: "|") + ")"
        case .group(let inner, _): return "(?:" + text(inner) + ")"
        case .repetition(let item, let least, let most): return text(item, least, most)
        case .assertion(.start): return "\\A"
        case .assertion(.end): return "\\z"
        case .assertion(.boundary): return "\\b"
        case .assertion(.noBoundary): return "\\B"
        }
    }

    /// A repetition; one of what has numbers in braces itself is written out, since RE2 bounds their
    /// product.
    private static func text(_ item: RegexSyntax, _ least: Int, _ most: Int?) -> String {
        let one = "(?:" + text(item) + ")"
        switch (least, most) {
        case (0, nil): return one + "*"
        case (1, nil): return one + "+"
        case (0, 1): return one + "?"
        case (0, 0): return "(?:)"
        default: break
        }
        guard isCounted(item) else {
            return one + "{\(least)" + (most == least ? "}" : ",\(most.map(String.init) ?? "")}")
        }
        let end =
            most.map { String(repeating: one + "?", count: $0 - least) } ?? (one + "*")
        return "(?:" + String(repeating: one, count: least) + end + ")"
    }

    private static func isCounted(_ syntax: RegexSyntax) -> Bool {
        switch syntax {
        case .empty, .scalar, .assertion: return false
        case .sequence(let items), .choice(let items): return items.contains(where: isCounted)
        case .group(let inner, _): return isCounted(inner)
        case .repetition(let item, let least, let most):
            return least > 1 || most ?? 0 > 1 || isCounted(item)
        }
    }

    private static func text(_ set: ScalarSet) -> String {
        var ranges: [ClosedRange<UInt32>] = []
        for range in set.ranges {
            // Surrogates are no scalars, and RE2 would take their bytes.
            if range.lowerBound < 0xD800 {
                ranges.append(range.lowerBound...min(range.upperBound, 0xD7FF))
            }
            if range.upperBound > 0xDFFF {
                ranges.append(max(range.lowerBound, 0xE000)...range.upperBound)
            }
        }
        guard let first = ranges.first else { return nothing }
        if ranges.count == 1, first.count == 1 { return character(first.lowerBound) }
        let members = ranges.map {
            $0.count == 1
                ? escape($0.lowerBound) : escape($0.lowerBound) + "-" + escape($0.upperBound)
        }
        return "[" + members.joined() + "]"
    }

    /// A character by itself: as it is where that has no meaning, so that the server can look for runs
    /// of such.
    private static func character(_ value: UInt32) -> String {
        let plain = " !\"#%&',/:;<=>@_`~"
        guard let scalar = Unicode.Scalar(value), scalar.isASCII,
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || plain.unicodeScalars.contains(scalar)
        else { return escape(value) }
        return String(Character(scalar))
    }

    private static func escape(_ value: UInt32) -> String {
        "\\x{" + String(value, radix: 16, uppercase: true) + "}"
    }
}
