/// A lookup table or other data of a restore; its content is counted, and not kept but for groups.
public struct Fixture: Hashable, Sendable {
    /// Name of the fixture; identity is this and ``userID``.
    public var id: String?
    /// User the fixture is for.
    public var userID: String?
    /// Whether `indexed="true"`, which requires a ``FixtureSchema`` before.
    public var isIndexed: Bool
    /// Elements within, at any depth; with 0, devices do not store the fixture.
    public var elements: Int
    /// Its bytes in the document as sent, from its `<` to after its last `>`.
    public var bytes: Range<Int64>
    /// Identifiers of the groups whose cases belong to the user too, in order: what the fixture
    /// ``groupsID`` holds; nil for all others.
    ///
    /// Source: `getGroups` of commcare-android; OpenRosa/Specification.md#restores.
    public var groups: [String]?
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the fixture begins.
    public var position: XMLPosition

    /// Name of the fixture that lists the groups of the user.
    public static let groupsID = "user-groups"

    /// A fixture with these values.
    public init(
        id: String?, userID: String? = nil, isIndexed: Bool = false, elements: Int = 0,
        bytes: Range<Int64> = 0..<0, groups: [String]? = nil, isCut: Bool = false,
        position: XMLPosition = .start
    ) {
        self.id = id
        self.userID = userID
        self.isIndexed = isIndexed
        self.elements = elements
        self.bytes = bytes
        self.groups = groups
        self.isCut = isCut
        self.position = position
    }
}

/// The part of a restore about how to store a fixture.
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
