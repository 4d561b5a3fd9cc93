public import Notation
public import OpenRosa
public import Simperium

/// What the servers of a session held at a point in time, as far as its messages show: enough for
/// other servers to go on from there.
public struct ServerHoldings: Sendable {
    /// Simperium buckets, in the order in which they were opened.
    public var buckets: [Bucket] = []
    /// Tokens that a Simperium server accepted, sorted.
    public var tokens: [Token] = []
    /// Tokens that a Simperium server refused last, with 401.
    public var refusedTokens: Set<String> = []
    /// CommCare projects, sorted by name.
    public var projects: [Project] = []
    /// Users of CommCare projects.
    public var users: [User] = []
    /// Values of `Authorization` that a CommCare server refused last, with the status: 401 or 406.
    public var refusedCredentials: [String: Int] = [:]

    /// Nothing.
    public init() {}

    /// Whether no server is known to hold anything.
    public var isEmpty: Bool { buckets.isEmpty && tokens.isEmpty && projects.isEmpty }

    // MARK: Simperium

    /// What a Simperium server held of a bucket of a user.
    public struct Bucket: Sendable {
        /// The application; empty where it is unknown.
        public var app: String
        /// The user, as the server named it; nil where it did not.
        public var user: String?
        /// Name of the bucket.
        public var name: String
        /// The change version that it was at; nil where that is unknown.
        public var cv: String?
        /// The objects that were there, with the versions that are known, sorted by key; then those
        /// that were removed, without any.
        public var objects: [ServerObject]
        /// Versions of the objects whose data are unknown, by key.
        public var unknown: [ExactText: Int64]
        /// The change version before the first change of ``log``; nil where that is unknown.
        public var logStart: String?
        /// The changes that lead to ``cv`` without a gap, in order.
        public var log: [SimperiumChange<JSONValue>]
        /// Other changes, which are only known when they are sent again.
        public var known: [SimperiumChange<JSONValue>]
        /// Refusals that do not follow from the objects and changes: each with `clientID`, `ccids`
        /// and `error`.
        public var refusals: [SimperiumChange<JSONValue>]

        /// The number of objects that were there and whose data are known.
        public var count: Int { objects.count { !$0.isRemoved } }
    }

    /// A token that a Simperium server accepted.
    public struct Token: Hashable, Sendable {
        /// The token.
        public var token: String
        /// The application; empty where it is unknown.
        public var app: String
        /// The user, as the server named it.
        public var user: String

        /// A token of a user.
        public init(token: String, app: String, user: String) {
            self.token = token
            self.app = app
            self.user = user
        }
    }

    // MARK: CommCare

    /// What a CommCare server held of a project.
    ///
    /// Times are places in the order of all messages.
    public struct Project: Sendable {
        /// Host and path: `hq.example/a/demo`; the host alone for a server without projects.
        public var name: String
        /// The cases, closed ones included.
        public var cases: [CaseState]
        /// When a case was changed last, by its identifier.
        public var changed: [ExactText: Int]
        /// The balances of ledgers.
        public var ledgers: LedgerSet
        /// When the ledgers of a case changed last, by its identifier.
        public var ledgerChanges: [ExactText: LedgerChange]
        /// Forms that were accepted, in order.
        public var forms: [Form]
        /// Forms that the server refused for what is in them.
        public var refusedForms: [RefusedForm]
        /// What the server keeps of the restores that it gave out, in order.
        public var restores: [Restore]
        /// When all this was.
        public var now: Int

        /// The name of the project alone; `demo` for a server without projects.
        public var project: String {
            let parts = name.split(separator: "/")
            guard let place = parts.firstIndex(of: "a"), place + 1 < parts.count else {
                return "demo"
            }
            return String(parts[place + 1])
        }
    }

    /// A change of the ledgers of a case.
    public struct LedgerChange: Hashable, Sendable {
        /// When it was.
        public var at: Int
        /// The date of the block, as sent.
        public var date: String
    }

    /// A form that was accepted.
    public struct Form: Hashable, Sendable {
        /// Its `instanceID`.
        public var instanceID: String
        /// By which its bytes are known when they are sent again.
        package var fingerprint: FormFingerprint
    }

    /// A form that was refused for what is in it.
    public struct RefusedForm: Hashable, Sendable {
        /// The form.
        public var form: Form
        /// The server's reason, as text.
        public var reason: String
    }

    /// What a server keeps of a restore that it gave out.
    public struct Restore: Sendable {
        /// The sync token.
        public var token: String
        /// Name of the user; nil where it is unknown.
        public var user: String?
        /// When it was sent.
        public var at: Int
        /// What the device holds since then.
        public var log: SyncLog
    }

    /// A user of a CommCare project.
    public struct User: Hashable, Sendable {
        /// Name, without the project.
        public var name: String
        /// Identifier; nil where no restore and no form has it.
        public var id: String?
        /// The user and the groups whose cases belong on the device; nil where the groups are
        /// unknown.
        public var owners: Set<ExactText>?
        /// Values of `Authorization` with which the user signed in.
        public var credentials: [String]
    }
}
