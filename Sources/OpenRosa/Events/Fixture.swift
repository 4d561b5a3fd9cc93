/// A lookup table or other data of a restore; its content is counted, not kept.
public struct Fixture: Hashable, Sendable {
    /// Name of the fixture; identity is this and ``userID``.
    public var id: String?
    /// User the fixture is for.
    public var userID: String?
    /// Whether `indexed="true"`, which wants a ``FixtureSchema`` before.
    public var isIndexed: Bool
    /// Elements within, at any depth; with 0, devices do not store the fixture.
    public var elements: Int
    /// Its bytes in the document as sent, from its `<` to behind its last `>`.
    public var bytes: Range<Int64>
    /// Whether ``id`` or ``userID`` is shortened because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the fixture begins.
    public var position: XMLPosition

    /// A fixture with these values.
    public init(
        id: String?, userID: String? = nil, isIndexed: Bool = false, elements: Int = 0,
        bytes: Range<Int64> = 0..<0, isCut: Bool = false, position: XMLPosition = .start
    ) {
        self.id = id
        self.userID = userID
        self.isIndexed = isIndexed
        self.elements = elements
        self.bytes = bytes
        self.isCut = isCut
        self.position = position
    }
}

/// What a restore says about how to store a fixture.
public struct FixtureSchema: Hashable, Sendable {
    /// Name of the fixture.
    public var id: String?
    /// Expressions to index by, such as `@id`.
    public var indices: [String]
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the schema begins.
    public var position: XMLPosition

    /// A schema with these values.
    public init(
        id: String?, indices: [String] = [], isCut: Bool = false, position: XMLPosition = .start
    ) {
        self.id = id
        self.indices = indices
        self.isCut = isCut
        self.position = position
    }
}
