/// The namespaces of CommCare and OpenRosa documents.
enum OpenRosaSpace: Hashable, Sendable {
    case none
    case response
    case sync
    case registration
    case case2
    case ledger
    case meta
    case formList
    case manifest
    case other

    init(_ name: String?) {
        switch name {
        case nil, "": self = .none
        case "http://openrosa.org/http/response": self = .response
        case "http://commcarehq.org/sync": self = .sync
        case "http://openrosa.org/user/registration", "http://openrosa.org/user-registration":
            self = .registration
        case "http://commcarehq.org/case/transaction/v2": self = .case2
        case "http://openrosa.org/jr/xforms", "http://openrosa.org/xforms",
            "http://openrosa.org/xforms/":
            self = .meta
        case "http://openrosa.org/xforms/xformsList": self = .formList
        case "http://openrosa.org/xforms/xformsManifest": self = .manifest
        case let name?: self = name.hasPrefix("http://commcarehq.org/ledger/") ? .ledger : .other
        }
    }
}

/// The element names that mean something in CommCare and OpenRosa documents.
enum OpenRosaWord: String, Hashable, Sendable {
    case response = "OpenRosaResponse"
    case message, progress
    case sync = "Sync"
    case restoreID = "restore_id"
    case registration, username, password, uuid, date
    case phoneID = "registering_phone_id"
    case token
    case userData = "user_data"
    case data, schema, indices, fixture
    case caseBlock = "case"
    case caseID = "case_id"
    case dateModified = "date_modified"
    case caseType = "case_type"
    case caseTypeID = "case_type_id"
    case caseName = "case_name"
    case ownerID = "owner_id"
    case userID = "user_id"
    case externalID = "external_id"
    case create, update, close, index, attachment
    case balance, transfer, entry, value
    case meta
    case formList = "xforms"
    case oldFormList = "forms"
    case listedForm = "xform"
    case oldListedForm = "form"
    case manifest, mediaFile
    case other = ""

    init(_ local: String) {
        if let word = OpenRosaWord(rawValue: local) {
            self = word
            return
        }
        // CommCare compares these without regard to case (CommCareTransactionParserFactory).
        switch local.lowercased() {
        case "case": self = .caseBlock
        case "registration": self = .registration
        case "schema": self = .schema
        case "fixture": self = .fixture
        case "progress": self = .progress
        default: self = .other
        }
    }
}
