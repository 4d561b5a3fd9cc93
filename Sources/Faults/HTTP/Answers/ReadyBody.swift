import Notation

/// The fields and the body that a protocol has for a status.
struct ReadyBody {
    /// Fields besides type and length.
    var fields: [(name: String, value: String)] = []
    /// Content-Type.
    var type = "text/plain; charset=utf-8"
    /// The body.
    var body: [UInt8] = []

    /// Whether requests of `api` are for a CommCare or OpenRosa server.
    static func isOpenRosa(_ api: String) -> Bool {
        api.hasPrefix("commcare.") || api.hasPrefix("openrosa.")
    }

    /// What goes with `status` for requests of `api` with this method.
    init(_ status: Int, _ firing: Firing, api: String, method: String) {
        let action = firing.action
        let isRosa = Self.isOpenRosa(api)
        let message = action.text("message")
        switch status {
        case 202 where isRosa:
            fields = [("Retry-After", "30")]
            type = Self.xml
            body = Self.pending(firing)
        case 401:
            fields = [("WWW-Authenticate", "Basic realm=\"tapedeck\"")]
            body = Array((message ?? "Authorization required").utf8)
        case 405:
            let others = ["GET", "HEAD", "POST"].filter { $0 != method }
            fields = [("Allow", others.joined(separator: ", "))]
            body = Array((message ?? LocalAnswer.reason(status)).utf8)
        case 407:
            fields = [("Proxy-Authenticate", "Basic realm=\"tapedeck\"")]
            body = Array((message ?? LocalAnswer.reason(status)).utf8)
        case 426:
            fields = [("Upgrade", "websocket")]
            body = Array((message ?? LocalAnswer.reason(status)).utf8)
        case 406 where isRosa:
            type = "application/json"
            let detail =
                message ?? "Your account has been deactivated, please contact your domain admin "
                + "to reactivate"
            body = Array(
                ("{\"error\":\(JSONString.quoted(action.text("key") ?? "user.deactivated")),"
                    + "\"default_response\":\(JSONString.quoted(detail))}").utf8)
        case 412 where isRosa:
            type = Self.xml
            body = Self.response(
                "ota_restore_error",
                message ?? "The sync token is not known; a full restore is needed")
        case 422 where isRosa:
            type = Self.xml
            body = Self.response("processing_failure", message ?? "The form cannot be processed")
        case 429, 503:
            fields = [("Retry-After", "30")]
            body = Array(
                (message
                    ?? (status == 429 ? "Too many requests" : "The server is over capacity")).utf8)
        case 100..<200, 204, 304:
            break
        default:
            body = Array((message ?? LocalAnswer.reason(status)).utf8)
        }
    }

    private static let xml = "text/xml; charset=utf-8"

    private static func response(_ nature: String, _ message: String) -> [UInt8] {
        Array(
            ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"\(nature)\">\(Markup.escaped(message))</message>"
                + "</OpenRosaResponse>").utf8)
    }

    /// A restore that is being made, further with every occurrence.
    private static func pending(_ firing: Firing) -> [UInt8] {
        let action = firing.action
        let parts = (action.text("progress") ?? "").split(separator: "/").compactMap { Int64($0) }
        let total = max(1, parts.count == 2 ? parts[1] : 100)
        let start = max(0, parts.count == 2 ? parts[0] : 10)
        let step = max(0, action.integer("step") ?? 10)
        let (more, isFar) = step.multipliedReportingOverflow(by: max(0, firing.occurrence - 1))
        let (sum, isFarther) = start.addingReportingOverflow(more)
        let done = isFar || isFarther ? total : min(total, sum)
        return Array(
            ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"ota_restore_pending\">"
                + Markup.escaped(action.text("message") ?? "The restore is being made")
                + "</message>"
                + "<Sync xmlns=\"http://commcarehq.org/sync\">"
                + "<progress done=\"\(done)\" total=\"\(total)\"/></Sync></OpenRosaResponse>").utf8
        )
    }
}
