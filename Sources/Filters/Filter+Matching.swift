extension Filter {
    /// Whether the filter holds for what has these `values`.
    ///
    /// A comparison with a missing value does not hold, so its negation does.
    public func matches(_ values: some FilterSubjectValues) -> Bool {
        Self.matches(root, values)
    }

    private static func matches(_ node: FilterNode, _ values: some FilterSubjectValues) -> Bool {
        switch node {
        case .always: true
        case .and(let nodes): nodes.allSatisfy { matches($0, values) }
        case .or(let nodes): nodes.contains { matches($0, values) }
        case .not(let node): !matches(node, values)
        case .comparison(let comparison): matches(comparison, values)
        }
    }

    private static func matches(
        _ comparison: FilterComparison, _ values: some FilterSubjectValues
    ) -> Bool {
        guard comparison.isFor(values.subject) else { return false }
        let value =
            comparison.field == .kind
            ? .text(values.subject.rawValue)
            : values.value(of: comparison.field, name: comparison.name)
        guard let value else { return false }
        return comparison.test.passes(
            value, ignoresCase: comparison.ignoresCase,
            globIgnoresCase: comparison.globIgnoresCase)
    }
}

extension FilterComparison {
    /// Whether a value that is a whole number passes.
    package func passes(_ number: Int64) -> Bool {
        test.passes(.integer(number), ignoresCase: ignoresCase, globIgnoresCase: globIgnoresCase)
    }

    /// Whether a value that is this text, as UTF-8, passes.
    package func passes(utf8 text: UnsafeRawBufferPointer) -> Bool {
        test.passes(
            text, isText: true, ignoresCase: ignoresCase, globIgnoresCase: globIgnoresCase)
    }
}

extension FilterTest {
    /// Whether `value`, or one of several, passes.
    ///
    /// Case is ignored in equality with `ignoresCase`, in wildcards with `globIgnoresCase`.
    func passes(_ value: FilterValue, ignoresCase: Bool, globIgnoresCase: Bool) -> Bool {
        switch value {
        case .several(let values):
            return values.contains {
                passes($0, ignoresCase: ignoresCase, globIgnoresCase: globIgnoresCase)
            }
        case .integer(let number):
            switch self {
            case .exists: return true
            case .range(let range): return range.contains(number)
            // Live traffic has no wall clock; a rule that names it is refused.
            case .clock, .equal, .glob, .contains, .regex, .words: return false
            }
        case .text(var text):
            return text.withUTF8 {
                passes(
                    UnsafeRawBufferPointer($0), isText: true, ignoresCase: ignoresCase,
                    globIgnoresCase: globIgnoresCase)
            }
        case .utf8(let bytes), .bytes(let bytes):
            var isText = false
            if case .utf8 = value { isText = true }
            return bytes.withUnsafeBytes {
                passes(
                    $0, isText: isText, ignoresCase: ignoresCase,
                    globIgnoresCase: globIgnoresCase)
            }
        }
    }

    /// Whether the bytes of one value pass, which are text or not.
    fileprivate func passes(
        _ value: UnsafeRawBufferPointer, isText: Bool, ignoresCase: Bool, globIgnoresCase: Bool
    ) -> Bool {
        switch self {
        case .exists: return true
        case .range, .clock: return false
        case .equal(let text):
            guard isText, value.count == text.utf8.count else { return false }
            return Self.isEqual(value, text, ignoresCase)
        case .glob(let glob): return glob.matches(value, ignoringCase: globIgnoresCase)
        case .contains(var needle):
            return needle.withUTF8 {
                ByteSearch.contains(value, lowercasedNeedle: UnsafeRawBufferPointer($0))
            }
        case .regex(let regex): return regex.matches(value)
        case .words(let query): return isText && query.matches(value)
        }
    }

    /// Whether text of the same length is the same, with `ignoresCase` apart from ASCII letters.
    private static func isEqual(
        _ value: UnsafeRawBufferPointer, _ text: String, _ ignoresCase: Bool
    ) -> Bool {
        var index = 0
        for expected in text.utf8 {
            let byte = value[index]
            index += 1
            if byte == expected { continue }
            guard ignoresCase, byte ^ expected == 0x20, (0x61...0x7A).contains(byte | 0x20)
            else { return false }
        }
        return true
    }
}
