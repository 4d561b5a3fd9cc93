/// What an OpenRosa or CommCare XML document is and holds, in bounded size.
///
/// Texts are as sent, without white space around them, and cut after ``longestText`` bytes.
/// Lists keep their first ``longestList`` members; the counts beside them are complete.
public struct OpenRosaDocument: Hashable, Sendable {
    /// The kinds of documents.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An `OpenRosaResponse` without restore.
        case response
        /// An `OpenRosaResponse` that gives a device its data.
        case restore
        /// A filled form.
        case form
        /// The list of forms that a server offers.
        case formList = "form-list"
        /// The files that go with a form.
        case manifest
        /// Any other XML.
        case xml
    }

    /// Progress of a restore that is being prepared.
    public struct Progress: Hashable, Sendable {
        /// `done`, as sent.
        public var done: String?
        /// `total`, as sent.
        public var total: String?
        /// `retry-after` in seconds, as sent; CommCare HQ adds it.
        public var retryAfter: String?
    }

    /// The user a restore is for.
    public struct Registration: Hashable, Sendable {
        /// Name of the user.
        public var username: String?
        /// Identifier of the user.
        public var uuid: String?
        /// Date of registration, as sent.
        public var date: String?
        /// Whether there is a password; it is not kept.
        public var hasPassword = false
        /// Number of `data` elements of `user_data`.
        public var data = 0
    }

    /// Case blocks, in number.
    public struct Cases: Hashable, Sendable {
        /// Blocks that are complete.
        public var blocks = 0
        /// Blocks of case XML version 1, which has its identifiers in elements.
        public var version1 = 0
        /// Blocks of version 2 and above, which has them in attributes.
        public var version2 = 0
        /// Blocks that create their case.
        public var creates = 0
        /// Blocks that update their case.
        public var updates = 0
        /// Blocks that close their case.
        public var closes = 0
        /// Indices to other cases, set or removed.
        public var indices = 0
        /// Attachments, set or removed.
        public var attachments = 0
        /// `case_id` of the first blocks, in order, with repetitions.
        public var ids: [String] = []
    }

    /// What only a form has.
    public struct Form: Hashable, Sendable {
        /// `name` of the root.
        public var name: String?
        /// `version` of the root.
        public var version: String?
        /// `uiVersion` of the root.
        public var uiVersion: String?
        /// `id` of the root, which OpenRosa requires where CommCare has the namespace.
        public var id: String?
        /// The `meta` block; nil without.
        public var meta: Meta?
    }

    /// The `meta` block of a form, matched by local names.
    public struct Meta: Hashable, Sendable {
        /// Namespace of the block: the form's, or one of OpenRosa's.
        public var namespace: String?
        /// Identifier of this filled form.
        public var instanceID: String?
        /// Identifier of the form that this one replaces (ODK).
        public var deprecatedID: String?
        /// Identifier of the device.
        public var deviceID: String?
        /// When the form was opened, as sent.
        public var timeStart: String?
        /// When the form was finished, as sent.
        public var timeEnd: String?
        /// Name of the user.
        public var username: String?
        /// Identifier of the user.
        public var userID: String?
        /// Version of the application.
        public var appVersion: String?
        /// How far the device's clock is off, in milliseconds, as sent (CommCare).
        public var drift: String?
    }

    /// Longest text kept, in bytes of UTF-8.
    public static let longestText = 4096
    /// Longest list kept.
    public static let longestList = 100
    /// The maximum size of the properties kept of a case block, in bytes of UTF-8 of their names
    /// and values together.
    public static let longestProperties = 65_536

    /// What the document is.
    public var kind = Kind.xml
    /// Local name of the root element; empty where none was found.
    public var root = ""
    /// Namespace of the root element; that of the form for a form.
    public var namespace: String?
    /// Elements directly in the root.
    public var children = 0
    /// `nature` of the first message, as sent.
    public var nature: String?
    /// Text of the first message.
    public var message: String?
    /// `items` of the root, as sent.
    public var items: String?
    /// Progress of a pending restore.
    public var progress: Progress?
    /// Sync token that a restore issues.
    public var restoreID: String?
    /// The user a restore is for.
    public var registration: Registration?
    /// Case blocks of a restore or a form.
    public var cases = Cases()
    /// Number of fixtures.
    public var fixtures = 0
    /// `id` of the first fixtures.
    public var fixtureIDs: [String] = []
    /// Identifiers of the groups whose cases belong to the user too; nil without them.
    ///
    /// Those of the fixture `user-groups`, of which the first ``longestList`` are kept.
    public var groups: [String]?
    /// Number of schemas for fixtures.
    public var schemas = 0
    /// Number of ledger balances.
    public var balances = 0
    /// Number of ledger transfers.
    public var transfers = 0
    /// What only a form has; nil for other kinds.
    public var form: Form?
    /// Number of forms in a form list.
    public var forms = 0
    /// Number of files in a manifest.
    public var mediaFiles = 0
    /// Where the document is not well formed; what precedes it is in the other properties.
    public var problem: XMLError?
    /// What differs from the specifications, in order, each code once.
    public var notes: [OpenRosaNote] = []

    /// An empty document.
    public init() {}

    /// The nature, if a specification names it.
    public var knownNature: OpenRosaNature? { nature.flatMap(OpenRosaNature.init) }

    /// Number of ledger balances and transfers.
    public var ledgers: Int { balances + transfers }

    /// Whose cases belong on the device after this restore: the user and the groups; nil where no
    /// group is named, or more than are kept.
    public var owners: [String]? {
        guard let groups, !groups.isEmpty, groups.count < Self.longestList,
            let user = registration?.uuid
        else { return nil }
        return [user] + groups
    }
}
