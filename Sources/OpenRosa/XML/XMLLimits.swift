/// How much of everything an ``XMLStream`` takes before it refuses a document.
///
/// Each bound keeps either memory or time linear in what is fed: libxml2 compares all attributes
/// of a tag and all namespaces in scope with each other, and finds a name by walking along a list
/// that grows with the names of the document.
public struct XMLLimits: Hashable, Sendable {
    /// Elements within each other, at least 1.
    public var depth: Int
    /// Bytes of one tag, comment or processing instruction, with its delimiters.
    public var markup: Int
    /// Attributes of one tag, namespace declarations counted.
    public var attributes: Int
    /// Namespace declarations in scope at one place.
    public var namespaces: Int
    /// Bytes of one piece of text, at least 4; longer text comes in several pieces.
    public var text: Int
    /// Different names of elements, attributes, prefixes, namespaces and instructions.
    public var names: Int
    /// Elements, comments and processing instructions.
    public var elements: Int
    /// Attributes and namespace declarations of all tags together.
    public var allAttributes: Int

    /// The given bounds; the defaults are far above what any known client or server sends.
    public init(
        depth: Int = 1000, markup: Int = 1 << 20, attributes: Int = 256, namespaces: Int = 1000,
        text: Int = 1 << 14, names: Int = 1 << 15, elements: Int = 10_000_000,
        allAttributes: Int = 20_000_000
    ) {
        self.depth = depth
        self.markup = markup
        self.attributes = attributes
        self.namespaces = namespaces
        self.text = max(4, text)
        self.names = names
        self.elements = elements
        self.allAttributes = allAttributes
    }
}

/// What reading documents has cost so far, counted: the same bytes always cost the same.
public struct XMLWork: Hashable, Sendable {
    /// Elements, comments and processing instructions.
    public var elements = 0
    /// Attributes and namespace declarations.
    public var attributes = 0

    /// No work yet.
    public init() {}
}
