extension CommCareServer {
    /// Answers a restore: the user's data, whole or since an earlier restore.
    mutating func restore(
        _ request: ServedRequest, _ domain: String, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        guard request.method == "GET" else { return Self.notAllowed("GET") }
        guard let user = request.user, user.utf8.count <= 200 else {
            var answer = ServedAnswer.text(401, "Authorization required")
            answer.fields.append(.init("WWW-Authenticate", "Basic realm=\"tapedeck\""))
            return answer
        }
        if let version = request.parameter("version"), !["1.0", "2.0", "3.0"].contains(version) {
            return Self.response(412, "ota_restore_error", "Unsupported version \(version)")
        }
        let since = request.parameter("since").flatMap { $0.isEmpty ? nil : $0 }
        var from: Int?
        if let since {
            guard let earlier = domains[domain]?.restores[since], earlier.user == user else {
                return Self.response(
                    412, "ota_restore_error",
                    "The sync token \(since) is not known; a full restore is needed")
            }
            from = earlier.form
        }
        if options.restorePolls > 0, request.value("x-openrosa-version") != "1.0" {
            // Clients before 2.0 do not know the 202.
            let key = "\(user) \(since ?? "") \(request.parameter("device_id") ?? "")"
            let polls = options.restorePolls
            if let done = domains[domain, default: Domain()].poll(key, of: polls) {
                return pending(done: done, cases: domains[domain]?.cases.count ?? 0)
            }
        }
        let id = Self.identifier(&random)
        domains[domain, default: Domain()].giveOut(id, to: user)
        let space = domains[domain] ?? Domain()
        return .xml(200, payload(space, user, id, from, request, now))
    }

    /// The answer as long as the restore is being made.
    private func pending(done: Int, cases: Int) -> ServedAnswer {
        // Cases done: each poll finds the restore another step further.
        let total = max(cases, options.restorePolls)
        let progress = total * done / options.restorePolls
        var answer = ServedAnswer.xml(
            202,
            "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"ota_restore_pending\">The restore is being made</message>"
                + "<Sync xmlns=\"http://commcarehq.org/sync\">"
                + "<progress done=\"\(progress)\" total=\"\(total)\" "
                + "retry-after=\"\(options.retryAfter)\"/></Sync></OpenRosaResponse>")
        answer.fields.append(.init("Retry-After", String(options.retryAfter)))
        return answer
    }

    /// The document of a restore.
    private func payload(
        _ space: Domain, _ user: String, _ id: String, _ from: Int?, _ request: ServedRequest,
        _ now: Int64
    ) -> String {
        // A device that has the case learns that it was closed; one that starts empty never sees it.
        let cases = space.cases.values
            .filter { value in from.map { value.form > $0 } ?? !value.isClosed }
            .sorted { ($0.form, $0.id) < ($1.form, $1.id) }
        let name = user.escapedForXML
        var text = "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\""
        if request.parameter("items") == "true" { text += " items=\"\(cases.count + 3)\"" }
        text += "><message nature=\"ota_restore_success\">"
        text += "Successfully restored account \(name)!</message>"
        text += "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>\(id)</restore_id></Sync>"
        text += "<Registration xmlns=\"http://openrosa.org/user/registration\">"
        text += "<username>\(name)</username><password>sha1$tapedeck$"
        text += "\(String(repeating: "0", count: 40))</password><uuid>\(Self.uuid(of: user))</uuid>"
        text += "<date>\(CalendarDate(now).dayText)</date>"
        text += "<user_data><data key=\"commcare_project\">tapedeck</data></user_data>"
        text += "</Registration>"
        for value in cases { text += value.element(isFull: from == nil) }
        return text + "</OpenRosaResponse>"
    }

    /// The identifier of a user, the same for the same name on every server.
    private static func uuid(of user: String) -> String {
        // FNV-1a, twice: stability matters here, secrecy does not.
        func hash(_ basis: UInt64) -> UInt64 {
            user.utf8.reduce(basis) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        }
        return Hexadecimal.text(hash(0xCBF2_9CE4_8422_2325))
            + Hexadecimal.text(hash(0x8422_2325_CBF2_9CE4))
    }
}
