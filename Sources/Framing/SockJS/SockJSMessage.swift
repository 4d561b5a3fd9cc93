/// A message that came in a SockJS frame.
public struct SockJSMessage: Hashable, Sendable {
    /// The text with escapes undone, in UTF-8.
    public var text: [UInt8]
    /// Where the text is in the frame, between its quotes: a half-open range of byte offsets.
    public var range: Range<Int>
    /// Whether escaped halves of surrogate pairs without the other half became U+FFFD.
    ///
    /// JSON allows them and UTF-8 does not, so that `text` is not quite what was sent then.
    public var isRepaired: Bool

    /// A message with these values.
    public init(text: [UInt8], range: Range<Int>, isRepaired: Bool = false) {
        self.text = text
        self.range = range
        self.isRepaired = isRepaired
    }
}
