import Dissection
import Notation
import OpenRosa
import Wire

/// The parts of a request to a CommCare or OpenRosa server that rules across messages need.
struct CommCareAsk: Sendable {
    /// The exchange as it was when the request ended.
    let row: ExchangeRow
    /// What it is for.
    let api: OpenRosaAPI
    /// The user and device that send it.
    var person: CommCarePersonKey
    /// Whether the user is known: the request or all others of the device name the same user.
    var isPersonCertain = true
    /// Whether Tapedeck changed it on the way.
    let isTouched: Bool
    /// The parameters.
    let query: [FormField]
    /// The sync token of the header.
    let token: String?
    /// The credentials.
    let credentials: CommCareCredentials?
    /// Whether it has no credentials.
    let isDemonstration: Bool
    /// Whether it is sent on behalf of another user.
    let isForAnother: Bool
    /// The form that is submitted.
    let form: CommCareForm?
    /// The name of the client in findings.
    let client: String

    /// `since`; nil where it is missing or empty.
    var since: String? { query.last("since").flatMap { $0.isEmpty ? nil : $0 } }
    /// Whether it is an incremental sync.
    var isIncremental: Bool { since != nil }
    /// The token that it carries anywhere.
    var anyToken: String? { since ?? token }
    /// Whether it delivers the data of a device.
    var isRestore: Bool { api == .commcareRestore }
    /// Whether it submits a form.
    var isSubmission: Bool { api.group == .submission }
    /// The topic of findings about the sync.
    var topic: String { person.topic }

    /// A step about the request.
    func step(_ detail: String, quote: String? = nil) -> FindingStep {
        row.requestStep(detail, quote)
    }

    /// Whether Tapedeck changed the request on its way to the server; answering, delaying or
    /// dropping something does not count.
    private static func changes(_ fault: FaultRow) -> Bool {
        fault.sender == .client && fault.hasEffect([.altered, .repeated])
    }

    /// Reads a request; nil where it is not one of CommCare or OpenRosa.
    init?(_ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView) {
        guard let api = OpenRosaAPI(rawValue: exchange.row.api) else { return nil }
        self.api = api
        row = exchange.row
        isTouched = exchange.faults.contains { Self.changes($0) }
        query = FormField.parse((exchange.row.query ?? "").utf8, limit: 200)
        let head = exchange.request.map { HeadLines($0.body.head) }
        token = head?.value(CommCareRequest.lastSyncToken).flatMap { $0.isEmpty ? nil : $0 }
        credentials = CommCareCredentials(head?.value("authorization"))
        isDemonstration =
            query.last("submit_mode") == "demo" || query.last("authtype") == "noauth"
        client = session.client(of: exchange.row.connection)
        let path = exchange.row.path.split(separator: "/", maxSplits: 32)
        var domain = ""
        if let place = path.firstIndex(of: "a"), place + 1 < path.count {
            domain = String(path[place + 1])
        }
        let other = query.last("as").flatMap { $0.isEmpty ? nil : $0 }
        isForAnother = other != nil
        person = CommCarePersonKey(
            server: "\(exchange.row.host):\(exchange.row.port)", domain: domain,
            device: exchange.row.device ?? "@"
                + (session[exchange.row.connection]?.host ?? "client"),
            user: isDemonstration
                ? "demo" : other.map(CommCareCredentials.name) ?? credentials?.user ?? "")
        if api.group == .submission, let side = exchange.request {
            form = CommCareForm(side)
        } else {
            form = nil
        }
    }
}
