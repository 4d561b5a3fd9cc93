/// The beginning of an `OpenRosaResponse`.
public struct ResponseHead: Hashable, Sendable {
    /// Namespace of the root; real servers leave it out.
    public var namespace: String?
    /// `items`, as sent: the number of children, the message counted.
    public var items: String?
    /// Whether something is shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the root begins.
    public var position: XMLPosition

    /// A head with these values.
    public init(
        namespace: String? = nil, items: String? = nil, isCut: Bool = false,
        position: XMLPosition = .start
    ) {
        self.namespace = namespace
        self.items = items
        self.isCut = isCut
        self.position = position
    }
}

/// The `message` of an `OpenRosaResponse`.
public struct ResponseMessage: Hashable, Sendable {
    /// `nature`, as sent; a message without is legal.
    public var nature: String?
    /// Its text.
    public var text: String
    /// Whether something is shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the message begins.
    public var position: XMLPosition

    /// A message with these values.
    public init(
        nature: String?, text: String, isCut: Bool = false, position: XMLPosition = .start
    ) {
        self.nature = nature
        self.text = text
        self.isCut = isCut
        self.position = position
    }

    /// The nature, if a specification names it.
    public var knownNature: OpenRosaNature? { nature.flatMap(OpenRosaNature.init) }
}

/// The `restore_id` of a restore: the sync token it issues.
public struct RestoreID: Hashable, Sendable {
    /// The token.
    public var id: String
    /// Whether the token is shortened because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where its element begins.
    public var position: XMLPosition

    /// A token with these values.
    public init(_ id: String, isCut: Bool = false, position: XMLPosition = .start) {
        self.id = id
        self.isCut = isCut
        self.position = position
    }
}

/// Progress of a restore that is being prepared.
public struct RestoreProgress: Hashable, Sendable {
    /// `done`, as sent.
    public var done: String?
    /// `total`, as sent.
    public var total: String?
    /// `retry-after` in seconds, as sent; CommCare HQ adds it.
    public var retryAfter: String?
    /// Whether something is shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the element begins.
    public var position: XMLPosition

    /// Progress with these values.
    public init(
        done: String?, total: String?, retryAfter: String? = nil, isCut: Bool = false,
        position: XMLPosition = .start
    ) {
        self.done = done
        self.total = total
        self.retryAfter = retryAfter
        self.isCut = isCut
        self.position = position
    }
}
