internal import OpenRosa
internal import Wire

extension CommCareServer {
    /// Answers a restore: the user's data, whole or since an earlier restore.
    mutating func restore(
        _ request: ServedRequest, _ domain: String, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        guard request.method == "GET" else { return Self.notAllowed("GET") }
        let asking: Accounts.User
        switch access(request, domain, isRequired: true) {
        case .user(let known): asking = known
        case .nobody: return Self.notAllowed("GET")
        case .refused(let answer): return answer
        }
        let user: Accounts.User
        switch loginAs(request.parameter("as"), by: asking, domain) {
        case .user(let known): user = known
        case .nobody: return Self.notAllowed("GET")
        case .refused(let answer): return answer
        }
        let since = request.parameter("since").flatMap { $0.isEmpty ? nil : $0 }
        let earlier = since.flatMap { domains[domain]?.logs[$0] }
        if let says = objection(request, user, asking, since, earlier, now) {
            return Self.response(412, "ota_restore_error", says)
        }
        let waiting = CommCareDomain.Waiting(
            user: user.uuid, since: since, device: request.parameter("device_id"))
        if domains[domain]?.isMaking(waiting) != true,
            let refusal = overload(
                "restores", most: options.restoresPerMinute, of: asking, now)
        {
            return refusal
        }
        if options.restorePolls > 0, Self.knowsPending(request) {
            let polls = options.restorePolls
            if let done = domains[domain, default: CommCareDomain()].poll(waiting, of: polls) {
                return pending(done: done, cases: domains[domain]?.set.cases.count ?? 0)
            }
        }
        return give(request, domain, user, earlier, now, Self.identifier(&random))
    }

    /// Why a restore is refused with 412; nil where it is not.
    private func objection(
        _ request: ServedRequest, _ user: Accounts.User, _ asking: Accounts.User, _ since: String?,
        _ earlier: DeviceLog?, _ now: Int64
    ) -> String? {
        if let version = request.parameter("version"), !["1.0", "2.0", "3.0"].contains(version) {
            return "Unsupported version \(version)"
        }
        // On behalf of somebody else, devices may send either.
        let names = [user.uuid, user.name, asking.uuid]
        if let id = request.parameter("user_id"), !id.isEmpty, !names.contains(id) {
            return "The user_id \(id) is not that of \(user.name)"
        }
        guard let since else { return nil }
        guard let earlier, earlier.user == user.uuid, now - earlier.created < DeviceLog.lifetime
        else { return "The sync token \(since) is not known; a full restore is needed" }
        guard let state = request.parameter("state") else { return nil }
        do {
            let phone = try CaseStateHash(parsing: state)
            let server = earlier.cases.stateHash
            guard phone != server else { return nil }
            // CommCare HQ's words, which clients and tools read.
            return "Phone state hash mismatch. Server hash: \(server), Phone hash: \(phone). "
                + "# of cases: [\(earlier.cases.caseIDs.count)]"
        } catch {
            return "The state \(state) is no case state hash, such as ccsh: and 32 digits"
        }
    }

    /// Whether a client knows the 202, which came with version 2.0.
    private static func knowsPending(_ request: ServedRequest) -> Bool {
        let text = request.value("x-openrosa-version") ?? request.parameter("openrosa_version")
        guard let major = text?.split(separator: ".").first.flatMap({ Int($0) }) else {
            return false
        }
        return major >= 2
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

    /// Gives a restore out and remembers what the device has from then on.
    private mutating func give(
        _ request: ServedRequest, _ domain: String, _ user: Accounts.User, _ earlier: DeviceLog?,
        _ now: Int64, _ id: String
    ) -> ServedAnswer {
        let owners = owners(user)
        let space = domains[domain] ?? CommCareDomain()
        let alive = space.footprint(owners)
        let payload = RestorePayload(space, alive, since: earlier)
        var groups = user.groups
        if owners == nil {
            // Whoever owns a case is a group of the user, or devices would not keep the case.
            groups = Set(alive.values.lazy.compactMap(\.ownerID)).subtracting([user.uuid, ""])
                .sorted()
        }
        if earlier != nil, request.parameter("skip_fixtures") == "true" { groups = [] }
        let text = payload.text(
            id: id, user: user, domain: domain, groups: groups,
            hasItems: request.parameter("items") == "true", day: CalendarDate(now).dayText,
            isVersion1: request.parameter("version") == "1.0")

        var basis = CaseSet()
        for state in alive.values { basis.put(state) }
        let log = DeviceLog(
            id: id, user: user.uuid, form: space.count, created: now,
            cases: SyncLog(basis, ownerIDs: owners ?? space.owners))
        let forgotten = domains[domain, default: CommCareDomain()].keep(log)
        records.append(.restore(domain: domain, log, Array(alive.values)))
        if !forgotten.isEmpty { records.append(.forgotten(domain: domain, forgotten)) }
        return .xml(200, text)
    }
}
