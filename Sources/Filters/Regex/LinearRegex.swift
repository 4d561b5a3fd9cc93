/// A regular expression that is searched for in linear time and bounded memory.
///
/// Supports literals, `.`, classes, groups, alternatives, repetitions, `^`, `$`, `\b` and the flag
/// `(?i)` at the start; neither lookarounds nor back-references, which make the time of other
/// engines exponential. Works on bytes: `.` and inverted classes take one well-formed scalar of
/// UTF-8. `^` and `$` are the ends of the text. `\d`, `\w`, `\s` and `\b` are about ASCII.
public struct LinearRegex: Hashable, Sendable {
    /// The maximum count of a repetition in braces.
    public static let maximumRepetition = 1_000
    /// The maximum depth of nested groups.
    public static let maximumDepth = 100
    /// The maximum number of states of an expression.
    public static let maximumStates = 4_000

    /// The expression; begins with `(?i)` where case does not matter.
    public let pattern: String
    /// The machine made of it.
    let program: RegexProgram

    /// The expression that `pattern` writes; with `caseInsensitive`, letters match both cases.
    ///
    /// - Throws: ``RegexError``, with the place in the pattern.
    public init(_ pattern: String, caseInsensitive: Bool = false) throws(RegexError) {
        let syntax = try RegexParser.parse(pattern, caseInsensitive: caseInsensitive)
        program = try RegexProgram(syntax)
        self.pattern = caseInsensitive && !pattern.hasPrefix("(?i)") ? "(?i)\(pattern)" : pattern
    }

    /// Whether the expression is found anywhere in `bytes`.
    ///
    /// For repeated use keep a ``RegexMatcher``, which caches its states.
    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var matcher = RegexMatcher(self)
        return matcher.matches(bytes)
    }

    /// Whether the expression is found anywhere in the UTF-8 of `text`.
    public func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// Whether both are written the same.
    public static func == (a: Self, b: Self) -> Bool {
        a.pattern.utf8.elementsEqual(b.pattern.utf8)
    }

    /// Hashes how it is written.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(pattern)
    }
}
