/// Name of an element or attribute.
public struct XMLName: Hashable, Sendable, CustomStringConvertible {
    /// The part after the colon, or all of it.
    public var local: String
    /// The namespace of the prefix or the default declaration.
    public var namespace: String?
    /// The part before the colon, as sent; takes no part in meaning.
    public var prefix: String?

    /// A name with these parts.
    public init(_ local: String, namespace: String? = nil, prefix: String? = nil) {
        self.local = local
        self.namespace = namespace
        self.prefix = prefix
    }

    /// The name as written in the document.
    public var description: String { prefix.map { "\($0):\(local)" } ?? local }
}
