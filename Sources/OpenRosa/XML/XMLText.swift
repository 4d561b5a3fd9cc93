/// Formats XML for display.
public enum XMLText {
    /// The document with one tag a line, indented by its depth.
    ///
    /// Tags, references, CDATA sections and comments are unchanged. White space is changed only
    /// between markup, never in an element that also holds other text.
    ///
    /// - Parameters:
    ///   - bytes: The whole document.
    ///   - maxBytes: Size in bytes of the longest result; a longer one ends with a line that marks
    ///     the truncation.
    /// - Returns: Nil where the document is not well formed or exceeds a limit of ``XMLLimits``.
    public static func pretty(_ bytes: [UInt8], maxBytes: Int) -> String? {
        let silent = SilentHandler()
        let stream = XMLStream(handler: silent)
        stream.deliversText = false
        do {
            try stream.feed(bytes.span)
            try stream.finish()
        } catch {
            return nil
        }
        guard case .known(let encoding, let mark) = XMLEncoding.detect(bytes, isWhole: true) else {
            return nil
        }
        var source = Array(bytes[mark...])
        if encoding != .utf8 {
            var transcoder = XMLTranscoder(encoding)
            var utf8: [UInt8] = []
            guard transcoder.decode(source.span, into: &utf8) else { return nil }
            source = utf8
        }
        var layout = XMLLayout(source, maxBytes: maxBytes)
        return layout.run()
    }
}

private final class SilentHandler: XMLEventHandler {
    func start(_ tag: borrowing XMLTag) {}
    func end(_ tag: borrowing XMLTag) {}
    func text(_ bytes: borrowing Span<UInt8>) {}
}
