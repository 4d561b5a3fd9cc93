import Notation

extension Accounts {
    /// A user of the servers.
    public struct User: Hashable, Sendable {
        /// What the user is called: a name or an address.
        public var name: String
        /// Identifier of 32 hexadecimal digits, or as the file has it; the same at every start.
        public var uuid: String
        /// The identifier of this user's Simperium buckets.
        public var account: String
        /// Whether the user may do anything; CommCare answers others with 406 `user.deactivated`,
        /// Simperium with 401.
        public var isActive: Bool
        /// Whether changes of Simperium objects are allowed; they are refused with 401 otherwise.
        public var mayWrite: Bool
        /// The CommCare domains of the user; nil for every domain.
        public var domains: [String]?
        /// Identifiers of the user's groups, which may own cases.
        public var groups: [String]
        /// Whether the user may have CommCare's data of others, by `as`.
        public var mayLoginAs: Bool

        /// A user with these values.
        ///
        /// Without `uuid` the identifier is made of the name, and without `account` the buckets are
        /// those of the name.
        public init(
            name: String, uuid: String? = nil, account: String? = nil, isActive: Bool = true,
            mayWrite: Bool = true, domains: [String]? = nil, groups: [String] = [],
            mayLoginAs: Bool = false
        ) {
            self.name = name
            self.uuid = uuid ?? Self.identifier(of: name)
            // No token has a space, so that no token can equal the identifier of a user's buckets.
            self.account = account ?? "user \(name)"
            self.isActive = isActive
            self.mayWrite = mayWrite
            self.domains = domains
            self.groups = groups
            self.mayLoginAs = mayLoginAs
        }

        /// 32 hexadecimal digits that are the same for the same name: FNV-1a, twice.
        static func identifier(of name: String) -> String {
            [FNV1a.hash(name.utf8), FNV1a.hash(name.utf8, offset: FNV1a.otherOffset)]
                .map { Hexadecimal.text($0, digits: 16) }.joined()
        }
    }
}
