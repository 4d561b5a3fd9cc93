/// What a request to a CommCare or OpenRosa server is for, named as in the `api` of an exchange.
public enum OpenRosaAPI: String, Hashable, Sendable, CaseIterable {
    /// A form is submitted to CommCare.
    case commcareSubmit = "commcare.submit"
    /// A device requests its data, all of it or what is new.
    case commcareRestore = "commcare.restore"
    /// An administrator requests the restore of a user.
    case commcareAdminRestore = "commcare.admin-restore"
    /// Cases are searched on the server.
    case commcareSearch = "commcare.search"
    /// A case that was found is claimed.
    case commcareClaim = "commcare.claim"
    /// A device requests which versions it should have, and reports on itself.
    case commcareHeartbeat = "commcare.heartbeat"
    /// A device requests the keys of its user's data.
    case commcareKeys = "commcare.keys"
    /// A device requests the recovery measures for known problems.
    case commcareRecovery = "commcare.recovery"
    /// Cases are requested as a fixture.
    case commcareFixture = "commcare.fixture"
    /// A case of another project is requested.
    case commcareRegistryCase = "commcare.registry-case"
    /// One case is requested as a restore.
    case commcareCaseRestore = "commcare.case-restore"
    /// A unique number is requested.
    case commcareNextID = "commcare.next-id"
    /// A form is submitted to an OpenRosa server.
    case openRosaSubmit = "openrosa.submit"
    /// A client requests, before it submits, whether and where it may.
    case openRosaSubmitCheck = "openrosa.submit-check"
    /// The list of forms.
    case openRosaFormList = "openrosa.form-list"
    /// A form definition.
    case openRosaForm = "openrosa.form"
    /// The files that go with a form.
    case openRosaManifest = "openrosa.manifest"

    /// The requests that a code of the table may treat alike.
    public enum Group: String, Hashable, Sendable, CaseIterable {
        /// A form is submitted.
        case submission
        /// A device gets its data.
        case sync
        /// A client requests whether and where it may submit.
        case check
        /// Forms, their list and the files that go with them are fetched.
        case forms
        /// A case is claimed.
        case claim
        /// Cases are searched.
        case search
        /// A device reports on itself.
        case heartbeat
        /// The keys of a user's data are fetched.
        case keys
        /// Everything else.
        case other
    }

    /// Whether it submits, syncs, or what else.
    public var group: Group {
        switch self {
        case .commcareSubmit, .openRosaSubmit: .submission
        case .commcareRestore, .commcareAdminRestore, .commcareCaseRestore: .sync
        case .openRosaSubmitCheck: .check
        case .openRosaFormList, .openRosaForm, .openRosaManifest: .forms
        case .commcareClaim: .claim
        case .commcareSearch: .search
        case .commcareHeartbeat: .heartbeat
        case .commcareKeys: .keys
        case .commcareRecovery, .commcareFixture, .commcareRegistryCase, .commcareNextID: .other
        }
    }
}
