/// The place of one field line in a head.
///
/// Offsets are relative to ``HTTPHead/bytes``.
public struct HTTPField: Hashable, Sendable {
    /// The name, without whitespace before the colon; empty where the line has no name.
    public var name: Range<Int>
    /// The value without whitespace around it.
    ///
    /// Where the line is folded, the range continues over the line breaks.
    public var value: Range<Int>
    /// The whole line with its folds and its line ending.
    public var line: Range<Int>

    /// A field at this place.
    public init(name: Range<Int>, value: Range<Int>, line: Range<Int>) {
        self.name = name
        self.value = value
        self.line = line
    }
}
