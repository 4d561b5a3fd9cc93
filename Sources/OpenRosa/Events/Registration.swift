/// The user a restore is for.
///
/// Secrets are not kept, only whether they are there.
public struct Registration: Hashable, Sendable {
    /// Name of the user.
    public var username: String?
    /// Identifier of the user.
    public var uuid: String?
    /// Date of registration, as sent.
    public var date: String?
    /// `registering_phone_id`.
    public var phoneID: String?
    /// Whether there is a `password`.
    public var hasPassword: Bool
    /// Whether there is a `token`.
    public var hasToken: Bool
    /// `user_data`, in order; nil without.
    public var userData: [CaseBlock.Property]?
    /// Whether something is missing or shortened here because of ``CommCareBounds``.
    public var isCut: Bool
    /// Where the registration begins.
    public var position: XMLPosition

    /// A registration with these values.
    public init(
        username: String? = nil, uuid: String? = nil, date: String? = nil, phoneID: String? = nil,
        hasPassword: Bool = false, hasToken: Bool = false,
        userData: [CaseBlock.Property]? = nil, isCut: Bool = false,
        position: XMLPosition = .start
    ) {
        self.username = username
        self.uuid = uuid
        self.date = date
        self.phoneID = phoneID
        self.hasPassword = hasPassword
        self.hasToken = hasToken
        self.userData = userData
        self.isCut = isCut
        self.position = position
    }
}
