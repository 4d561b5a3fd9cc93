/// What reading documents has cost so far, counted: the same bytes always cost the same.
public struct XMLWork: Hashable, Sendable {
    /// Elements, comments and processing instructions.
    public var elements = 0
    /// Attributes and namespace declarations.
    public var attributes = 0

    /// No work yet.
    public init() {}
}
