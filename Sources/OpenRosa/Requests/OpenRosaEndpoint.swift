/// Identifies the endpoints of CommCare HQ and of OpenRosa servers by method and path.
///
/// Source: OpenRosa/Specification.md#endpoints. A path matches with or without a prefix
/// (`/a/<domain>`, or where a server is mounted) and with or without a trailing slash.
public enum OpenRosaEndpoint {
    /// Names what a request is for.
    ///
    /// - Parameters:
    ///   - method: As sent.
    ///   - path: Without query, as sent.
    ///   - query: Without the question mark, as sent.
    /// - Returns: Nil where it is not an endpoint of CommCare or OpenRosa.
    public static func recognise(method: String, path: String, query: String?) -> OpenRosaAPI? {
        guard path.utf8.count <= 4096 else { return nil }
        let parts = split(path, at: UInt8(ascii: "/"))
        let isGet = method == "GET" || method == "HEAD"
        let isPost = method == "POST"
        return receiver(parts, method)
            ?? phone(parts, isGet: isGet, isPost: isPost)
            ?? openRosa(parts, method, query)
            ?? (isGet && isKeyRequest(query) ? .commcareKeys : nil)
    }

    private static func receiver(_ parts: [String], _ method: String) -> OpenRosaAPI? {
        guard let place = parts.lastIndex(of: "receiver") else { return nil }
        let rest = parts[(place + 1)...]
        // receiver, receiver/APP, receiver/secure, receiver/secure/APP, receiver/submission, receiver/api
        let isKnown = rest.count <= 1 || rest.count == 2 && rest.first == "secure"
        guard isKnown else { return nil }
        if method == "POST" { return .commcareSubmit }
        return method == "HEAD" && rest.last == "submission" ? .openRosaSubmitCheck : nil
    }

    private static func phone(_ parts: [String], isGet: Bool, isPost: Bool) -> OpenRosaAPI? {
        guard let place = parts.lastIndex(of: "phone"), place + 1 < parts.count else { return nil }
        let rest = parts.count - place - 2
        switch parts[place + 1] {
        case "restore": return isGet && rest <= 1 ? .commcareRestore : nil
        case "admin_restore": return isGet && rest <= 1 ? .commcareAdminRestore : nil
        case "search": return (isGet || isPost) && rest <= 1 ? .commcareSearch : nil
        case "claim-case": return isPost && rest == 0 ? .commcareClaim : nil
        case "heartbeat": return isGet && rest <= 1 ? .commcareHeartbeat : nil
        case "keys": return isGet && rest <= 1 ? .commcareKeys : nil
        case "recovery_measures": return isGet && rest <= 1 ? .commcareRecovery : nil
        case "case_fixture": return (isGet || isPost) && rest <= 1 ? .commcareFixture : nil
        case "registry_case": return (isGet || isPost) && rest <= 1 ? .commcareRegistryCase : nil
        case "case_restore": return isGet && rest <= 1 ? .commcareCaseRestore : nil
        case "get_next_id": return (isGet || isPost) && rest == 0 ? .commcareNextID : nil
        default: return nil
        }
    }

    private static func openRosa(
        _ parts: [String], _ method: String, _ query: String?
    )
        -> OpenRosaAPI?
    {
        guard let last = parts.last else { return nil }
        switch (method, last) {
        case ("POST", "submission"): return .openRosaSubmit
        case ("HEAD", "submission"): return .openRosaSubmitCheck
        case ("GET", "formList"), ("HEAD", "formList"): return .openRosaFormList
        case ("GET", "xformsManifest"): return .openRosaManifest
        case ("GET", "manifest"):
            // ODK Central: …/forms/ID/manifest; a bare /manifest is some web page's.
            return parts.contains("forms") ? .openRosaManifest : nil
        case ("GET", "formXml"), ("GET", "form.xml"), ("GET", "xform"):
            return .openRosaForm
        default: break
        }
        guard method == "GET", last.hasSuffix(".xml"), parts.contains("forms") else { return nil }
        return .openRosaForm
    }

    /// The key server's address is a setting of the application; only the query identifies it.
    private static func isKeyRequest(_ query: String?) -> Bool {
        guard let query else { return false }
        let names = split(query, at: UInt8(ascii: "&")).map { $0.prefix { $0 != "=" } }
        return names.contains("last_issued") && names.contains("device_id")
    }

    /// The parts of a text that are not empty.
    ///
    /// By bytes, as a server does; to find characters takes far longer.
    private static func split(_ text: String, at separator: UInt8) -> [String] {
        text.utf8.split(separator: separator).map { String(Substring($0)) }
    }
}
