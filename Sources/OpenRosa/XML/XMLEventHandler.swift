/// Takes the events of an ``XMLStream``.
///
/// Events are the same however the document was cut into feeds, piece by piece of text.
public protocol XMLEventHandler: AnyObject {
    /// An element begins.
    func start(_ tag: borrowing XMLTag)

    /// An element ends; directly after its start where the tag closes itself.
    func end(_ tag: borrowing XMLTag)

    /// Text, with references replaced, CDATA sections opened and line ends made line feeds.
    ///
    /// - Parameter bytes: Whole UTF-8 characters. Text up to ``XMLLimits/text`` bytes between two
    ///   other events comes in one piece, longer text in pieces that are as long as fits.
    func text(_ bytes: borrowing Span<UInt8>)

    /// A comment.
    func comment(_ text: String)

    /// A processing instruction; the XML declaration is none.
    func instruction(target: String, data: String)
}

extension XMLEventHandler {
    /// Skips the comment.
    public func comment(_ text: String) {}

    /// Skips the processing instruction.
    public func instruction(target: String, data: String) {}
}
