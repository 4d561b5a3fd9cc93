internal import OpenRosa
internal import Serving
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
        var earlier = since.flatMap { domains[domain]?.logs[$0] }
        if let detail = objection(request, user, asking, since, earlier, now) {
            // A device that is refused again and again is one of those that the limit is for.
            if let refusal = overload(
                "restores", most: options.restoresPerMinute, of: asking, now)
            {
                return refusal
            }
            return Self.response(412, "ota_restore_error", detail)
        }
        if let phone = request.parameter("state").flatMap({ try? CaseStateHash(parsing: $0) }) {
            earlier = earlier?.stated(phone)
        }
        var order = RestoreOrder(
            domain: domain, user: user.uuid, since: since, device: request.parameter("device_id"))
        order.hasItems = request.parameter("items") == "true"
        order.isVersion1 = request.parameter("version") == "1.0"
        order.skipsFixtures = request.parameter("skip_fixtures") == "true"
        let isPatient = Self.knowsPending(request)
        let count = domains[domain]?.set.cases.count ?? 0
        let isSliced =
            (isPatient || holdsBack) && options.restoreSlice > 0 && count > options.restoreSlice
        if isSliced {
            // Compressed slice by slice rather than when it is sent.
            order.isCompressed = Gzip.isAccepted(request.value("accept-encoding"))
            line.tidy(now: now)
            guard line.contains(order) || line.hasRoom else { return pending(0, of: count) }
        }
        let waiting = CommCareDomain.Waiting(
            user: user.uuid, since: since, device: order.device)
        if !line.contains(order), domains[domain]?.isMaking(waiting) != true,
            let refusal = overload(
                "restores", most: options.restoresPerMinute, of: asking, now)
        {
            return refusal
        }
        let occasion = RestoreMaking.Occasion(
            order: order, user: user, owners: owners(user), id: Self.identifier(&random), now: now,
            isKept: isKept)
        let polls = options.restorePolls
        if isSliced {
            return makeInSlices(occasion, since: earlier, polls: isPatient ? polls : 0, now)
        }
        if polls > 0, isPatient,
            let done = domains[domain, default: CommCareDomain()].poll(waiting, of: polls)
        {
            let total = max(count, polls)
            return pending(total * done / polls, of: total)
        }
        var making = RestoreMaking(
            domains[domain] ?? CommCareDomain(), occasion, since: earlier)
        var budget = Int.max
        making.advance(&budget)
        return give(&making)
    }

    /// Makes a restore between other requests, and returns it once it is done.
    private mutating func makeInSlices(
        _ occasion: RestoreMaking.Occasion, since: DeviceLog?, polls: Int, _ now: Int64
    ) -> ServedAnswer {
        let order = occasion.order
        if !line.contains(order) {
            let space = domains[order.domain] ?? CommCareDomain()
            line.add(RestoreMaking(space, occasion, since: since), now: now)
        }
        guard let progress = line.ask(order, now: now) else { return pending(0, of: 1) }
        let (times, done, total) = progress
        guard times >= polls else { return pending(min(done, total * times / polls), of: total) }
        guard var making = line.take(order) else { return pending(done, of: total) }
        return give(&making)
    }

    /// Whether there is a restore to continue with; see ``work(_:)``.
    var hasWork: Bool { line.hasWork }

    /// How many restores are done or dropped so far: those who wait may ask again.
    var finishedRestores: Int { line.finished }

    /// Whether restores are kept for clients that requested them; see ``tidy(now:)``.
    var hasRestores: Bool { !line.isEmpty }

    /// Continues with restores that are being made, about as far as `units` cases.
    mutating func work(_ units: Int) { line.work(units) }

    /// Drops restores that were not requested for a time; `now` is in seconds since 1970.
    mutating func tidy(now: Int64) { line.tidy(now: now) }

    /// Why a restore is refused with 412; nil where it is not.
    private func objection(
        _ request: ServedRequest, _ user: Accounts.User, _ asking: Accounts.User, _ since: String?,
        _ earlier: DeviceLog?, _ now: Int64
    ) -> String? {
        if let version = request.parameter("version"), !["1.0", "2.0", "3.0"].contains(version) {
            return "Unsupported version \(version)"
        }
        // On behalf of another user, devices may send either.
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
            guard earlier.stated(phone) == nil else { return nil }
            // CommCare HQ's words, which clients and tools read.
            return "Phone state hash mismatch. Server hash: \(server), Phone hash: \(phone). "
                + "# of cases: [\(earlier.cases.caseIDs.count)]"
        } catch {
            return "The state \(state) is no case state hash, such as ccsh: and 32 digits"
        }
    }

    /// Whether a client supports the 202, which was introduced with version 2.0.
    static func knowsPending(_ request: ServedRequest) -> Bool {
        let text = request.value("x-openrosa-version") ?? request.parameter("openrosa_version")
        guard let major = text?.split(separator: ".").first.flatMap({ Int($0) }) else {
            return false
        }
        return major >= 2
    }

    /// The answer as long as the restore is being made.
    private func pending(_ done: Int, of total: Int) -> ServedAnswer {
        var answer = ServedAnswer.xml(
            202,
            "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"ota_restore_pending\">The restore is being made</message>"
                + "<Sync xmlns=\"http://commcarehq.org/sync\">"
                + "<progress done=\"\(done)\" total=\"\(max(1, total))\" "
                + "retry-after=\"\(options.retryAfter)\"/></Sync></OpenRosaResponse>")
        answer.fields.append(.init("Retry-After", String(options.retryAfter)))
        return answer
    }

    /// Returns a restore and stores what the device has from then on.
    private mutating func give(_ making: inout RestoreMaking) -> ServedAnswer {
        let order = making.occasion.order
        let (body, log, basis) = making.take()
        let forgotten = domains[order.domain, default: CommCareDomain()].keep(log)
        if isKept {
            records.append(.restore(domain: order.domain, log, basis: basis))
            if !forgotten.isEmpty {
                records.append(.forgotten(domain: order.domain, forgotten))
            }
        }
        var answer = ServedAnswer(
            200, fields: [.init("Content-Type", "text/xml; charset=utf-8")], body: body)
        if order.isCompressed { answer.fields.append(.init("Content-Encoding", "gzip")) }
        return answer
    }
}
