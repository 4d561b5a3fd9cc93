/// An element that is skipped with all it holds.
///
/// In a restore this is what a device ignores, or a form that was saved there before.
public struct OtherElement: Hashable, Sendable {
    /// Its name, each part cut after 256 bytes.
    public var name: XMLName
    /// Elements within, at any depth.
    public var elements: Int
    /// Its bytes in the document as sent, from its `<` to after its last `>`.
    public var bytes: Range<Int64>
    /// Where the element begins.
    public var position: XMLPosition

    /// An element with these values.
    public init(
        _ name: XMLName, elements: Int = 0, bytes: Range<Int64> = 0..<0,
        position: XMLPosition = .start
    ) {
        self.name = name
        self.elements = elements
        self.bytes = bytes
        self.position = position
    }
}

/// The beginning of a form list or manifest.
public struct ListHead: Hashable, Sendable {
    /// Namespace of the root.
    public var namespace: String?
    /// Where the root begins.
    public var position: XMLPosition

    /// A head with these values.
    public init(namespace: String?, position: XMLPosition = .start) {
        self.namespace = namespace
        self.position = position
    }
}

/// The end of a document that was well formed.
public struct DocumentEnd: Hashable, Sendable {
    /// What the document was.
    public var kind: OpenRosaDocument.Kind
    /// Elements directly in the root.
    public var children: Int
    /// Where the document ends.
    public var position: XMLPosition

    /// An end with these values.
    public init(kind: OpenRosaDocument.Kind, children: Int, position: XMLPosition) {
        self.kind = kind
        self.children = children
        self.position = position
    }
}
