internal import Notation
internal import Serving
internal import Wire

extension CommCareServer {
    /// The key with which the devices of a user keep the user's data.
    struct KeyRecord: Hashable, Sendable {
        /// Its identifier.
        var uuid: String
        /// 32 bytes in Base64.
        var key: String
        /// The start of its validity, in seconds since 1970.
        var valid: Int64
    }

    /// Answers a request for the user's key: the same key for ever, so that what devices have stays
    /// readable.
    ///
    /// Source: the key server's `auth_keys` of CommCare HQ, corehq/apps/mobile_auth/xml.py.
    mutating func keys(
        _ request: ServedRequest, _ domain: String, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        guard request.method == "GET" else { return Self.notAllowed("GET") }
        let user: Accounts.User
        switch access(request, domain, isRequired: true) {
        case .user(let known): user = known
        case .nobody: return Self.notAllowed("GET")
        case .refused(let answer): return answer
        }
        let record: KeyRecord
        if let known = domains[domain]?.keys[user.uuid] {
            record = known
        } else {
            guard (domains[domain]?.keys.count ?? 0) < Limit.keys else {
                return .busy("This server has no room for more keys")
            }
            var key: [UInt8] = []
            for _ in 0..<32 { key.append(.random(in: 0...255, using: &random)) }
            record = KeyRecord(
                uuid: Self.identifier(&random), key: Base64.encode(key), valid: now)
            domains[domain, default: CommCareDomain()].keys[user.uuid] = record
            records.append(.key(domain: domain, user: user.uuid, record))
        }
        return .xml(
            200,
            "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"submit_success\">Here are your keys!</message>"
                + "<auth_keys domain=\"\(domain.escapedForXML)\" "
                + "issued=\"\(Timestamp(unixSeconds: now).text(digits: 0))\">"
                + "<key_record valid=\"\(Timestamp(unixSeconds: record.valid).text(digits: 0))\">"
                + "<uuid>\(record.uuid)</uuid><key type=\"AES256\">\(record.key)</key>"
                + "</key_record></auth_keys></OpenRosaResponse>")
    }
}
