/// Why a string delta could not be read or applied.
///
/// Offsets are in bytes of the delta's UTF-8 text.
public enum DeltaError: Error, Hashable, Sendable {
    /// A token begins with something other than `=`, `-` and `+`.
    case unknownToken(UInt8, offset: Int)
    /// A count is not a whole number, or does not fit.
    case badCount(offset: Int)
    /// A percent sign without two hexadecimal digits.
    case badEscape(offset: Int)
    /// Inserted text is not UTF-8, once unescaped; the offset is its start.
    case notUTF8(offset: Int)
    /// The delta is for a string of `delta` UTF-16 code units, the string has `base`.
    ///
    /// `fits` is the unit in which the delta would fit the length of the string.
    case length(delta: Int, base: Int, fits: Counting?)
    /// The result would have half a surrogate pair at this UTF-16 code unit.
    case halfPair(unit: Int)

    /// Ways of counting the length of a string other than in UTF-16 code units.
    public enum Counting: String, Hashable, Sendable, CaseIterable {
        /// Unicode scalar values, as Python and Go's runes.
        case codePoints = "code points"
        /// Bytes of UTF-8, as Go's strings.
        case utf8Bytes = "UTF-8 bytes"
    }
}

extension DeltaError: CustomStringConvertible {
    /// The same as text.
    public var description: String {
        switch self {
        case .unknownToken(_, let offset): "unknown token at byte \(offset) of the delta"
        case .badCount(let offset): "no count at byte \(offset) of the delta"
        case .badEscape(let offset): "invalid percent-escape at byte \(offset) of the delta"
        case .notUTF8(let offset): "inserted text at byte \(offset) of the delta is not UTF-8"
        case .length(let delta, let base, let fits):
            "the delta is for \(delta) UTF-16 code units, the text has \(base)"
                + (delta > base ? " (\(delta - base) too many)" : " (\(base - delta) too few)")
                + (fits.map { "; counted in \($0.rawValue) it would fit" } ?? "")
        case .halfPair(let unit): "the result has half a surrogate pair at code unit \(unit)"
        }
    }
}
