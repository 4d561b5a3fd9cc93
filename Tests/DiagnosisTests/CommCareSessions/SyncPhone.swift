import OpenRosa
import Wire

@testable import Diagnosis

/// A device with CommCare that says what a session has it say.
struct SyncPhone {
    /// The connection that it uses.
    var connection: ConnectionID
    var user = "anna"
    var device = "d-1"

    /// A device that connects.
    init(
        _ script: inout SessionScript, at: Double = 0, user: String = "anna", device: String = "d-1"
    ) {
        connection = script.connection(at: at)
        self.user = user
        self.device = device
    }

    /// Opens another connection.
    mutating func reconnect(_ script: inout SessionScript, at: Double) {
        connection = script.connection(at: at)
    }

    // MARK: Requests

    private func head(_ token: String?, _ login: String?) -> String {
        "Host: www.commcarehq.org\nX-OpenRosa-Version: 3.0\nx-openrosa-deviceid: \(device)\n"
            + (token.map { "X-CommCareHQ-LastSyncToken: \($0)\n" } ?? "")
            + (login.map { $0.isEmpty ? "" : "Authorization: \($0)\n" } ?? "")
    }

    /// What signs in.
    var login: String {
        #"Digest username="\#(user)@demo.commcarehq.org", realm="r", nonce="n", uri="/", response="0""#
    }

    /// Asks for a restore.
    func restore(
        _ script: inout SessionScript, at: Double, since: String? = nil, has: [String] = [],
        state: String? = nil, header: String? = nil, more: String = "", login: String? = nil,
        _ answer: String?, took: Double = 0.01, isCalm: Bool = false
    ) {
        var query = "version=2.0&device_id=\(device)&items=true"
        if let since {
            let hash = state ?? CaseStateHash(caseIDs: has).description
            query += "&since=\(since)&state=\(hash.replacing(":", with: "%3A"))"
        }
        let text =
            "GET /a/demo/phone/restore/?\(query)\(more) HTTP/1.1\n"
            + head(header ?? since, login ?? self.login) + "\n"
        script.exchange(connection, text, answer, at: at, took: took, isCalm: isCalm)
    }

    /// Submits a form.
    func submit(
        _ script: inout SessionScript, at: Double, _ id: String = "form-1", token: String? = nil,
        blocks: String = "", end: String? = "2026-02-03T10:05:00.000Z", detail text: String = "42",
        files: [String] = [], deprecated: String? = nil, login: String? = nil, query: String = "",
        gets answer: String? = SyncPhone.taken, took: Double = 0.01, isCalm: Bool = false
    ) {
        let times =
            end.map {
                "<timeStart>2026-02-03T10:00:00.000Z</timeStart><timeEnd>\($0)</timeEnd>"
            } ?? ""
        // Those that another submission of the form brings as well.
        let pictures = files.isEmpty ? "" : "<p>a.jpg</p><p>b.jpg</p>"
        let old = deprecated.map { "<deprecatedID>\($0)</deprecatedID>" } ?? ""
        let form =
            #"<?xml version="1.0"?><data xmlns="http://example.org/f" name="f" uiVersion="1" version="1">"#
            + "<q>\(text)</q>\(blocks)\(pictures)"
            + #"<n0:meta xmlns:n0="http://openrosa.org/jr/xforms"><n0:deviceID>d</n0:deviceID>"#
            + times.replacing("<time", with: "<n0:time").replacing("</time", with: "</n0:time")
            + "<n0:username>\(user)</n0:username><n0:userID>u-\(user)</n0:userID>"
            + "<n0:instanceID>\(id)</n0:instanceID>\(old)</n0:meta></data>"
        var body = Self.part("xml_submission_file", "form.xml", "text/xml", form)
        for file in files { body += Self.part(file, file, "image/jpeg", "bytes of \(file)") }
        body += "--b0--\r\n"
        let text =
            "POST /a/demo/receiver/app/\(query) HTTP/1.1\n" + head(token, login ?? self.login)
            + "Content-Type: multipart/form-data; boundary=b0\n\n" + body
        script.exchange(connection, text, answer, at: at, took: took, isCalm: isCalm)
    }

    private static func part(
        _ name: String, _ file: String, _ type: String, _ body: String
    )
        -> String
    {
        "--b0\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(file)\"\r\n"
            + "Content-Type: \(type)\r\n\r\n\(body)\r\n"
    }

    /// Reports on itself.
    func heartbeat(_ script: inout SessionScript, at: Double, unsent: Int = 0) {
        script.exchange(
            connection,
            "GET /a/demo/phone/heartbeat/b1/?app_id=app&device_id=\(device)&num_unsent_forms=\(unsent)"
                + " HTTP/1.1\n" + head(nil, login) + "\n",
            Self.answer(200, type: "application/json", #"{"app_id":"app"}"#), at: at)
    }

    /// Claims a case.
    func claim(_ script: inout SessionScript, at: Double, _ status: Int) {
        script.exchange(
            connection,
            "POST /a/demo/phone/claim-case/ HTTP/1.1\n" + head(nil, login)
                + "Content-Type: application/x-www-form-urlencoded\n\ncase_id=far",
            Self.answer(status), at: at)
    }

    // MARK: Answers

    static func answer(
        _ status: Int, _ fields: [String] = [], type: String = "text/xml; charset=utf-8",
        _ body: String = ""
    ) -> String {
        "HTTP/1.1 \(status) X\nDate: Tue, 03 Feb 2026 10:00:00 GMT\nX-OpenRosa-Version: 3.0\n"
            + "X-OpenRosa-Accept-Content-Length: 10000000\nContent-Type: \(type)\n"
            + fields.map { $0 + "\n" }.joined() + "\n" + body
    }

    static func message(_ nature: String, _ text: String = "", _ more: String = "") -> String {
        #"<OpenRosaResponse xmlns="http://openrosa.org/http/response"><message nature="\#(nature)">"#
            + "\(text)</message>\(more)</OpenRosaResponse>"
    }

    static let taken = answer(201, message("submit_success", "√"))
    static let invalid = answer(422, message("processing_failure", "IllegalCaseId: gone"))
    static let refused = answer(412, message("ota_restore_error", "Phone state hash mismatch"))
    static let deactivated = answer(
        406, type: "application/json",
        #"{"error":"user.deactivated","default_response":"Your account is off."}"#)

    static func answer(_ status: Int, _ body: String) -> String { answer(status, [], body) }

    static func busy(_ status: Int = 503, retryAfter: Int? = nil) -> String {
        answer(status, retryAfter.map { ["Retry-After: \($0)"] } ?? [], type: "text/plain", "busy")
    }

    static func pending(_ retryAfter: String? = "2", done: Int = 1) -> String {
        answer(
            202, retryAfter.map { ["Retry-After: \($0)"] } ?? [],
            message(
                "ota_restore_pending", "",
                #"<Sync xmlns="http://commcarehq.org/sync"><progress done="\#(done)" total="1000"/></Sync>"#
            ))
    }

    /// A restore with these cases.
    static func given(_ token: String, _ cases: [String] = [], user: String = "anna") -> String {
        answer(
            200,
            message(
                "ota_restore_success", "Restored",
                #"<Sync xmlns="http://commcarehq.org/sync"><restore_id>\#(token)</restore_id></Sync>"#
                    + #"<Registration xmlns="http://openrosa.org/user/registration">"#
                    + "<username>\(user)</username><password>x</password><uuid>u-\(user)</uuid>"
                    + "<date>2026-01-01</date></Registration>" + cases.joined()))
    }

    /// A case that is created.
    static func new(_ id: String, owner: String = "u-anna", index: String? = nil) -> String {
        block(
            id,
            "<create><case_type>t</case_type><case_name>\(id)</case_name>"
                + "<owner_id>\(owner)</owner_id></create>" + (index.map(Self.index) ?? ""))
    }

    static func index(_ target: String) -> String {
        #"<index><parent case_type="t">\#(target)</parent></index>"#
    }

    /// What is said about a case.
    static func block(_ id: String, _ inner: String = "<update><a>1</a></update>") -> String {
        #"<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="\#(id)" user_id="u-anna""#
            + #" date_modified="2026-02-03T10:00:00.000Z">\#(inner)</case>"#
    }
}
