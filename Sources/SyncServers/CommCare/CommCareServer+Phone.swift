internal import Notation
internal import OpenRosa
internal import Serving
internal import Wire

extension CommCareServer {
    /// The forms on offer: none, since the server has no designs of forms.
    static func formList(_ request: ServedRequest) -> ServedAnswer {
        guard request.method == "GET" else { return notAllowed("GET") }
        return .xml(
            200,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<xforms xmlns=\"http://openrosa.org/xforms/xformsList\"></xforms>")
    }

    /// The files that belong to a form: none.
    static func manifest(_ request: ServedRequest) -> ServedAnswer {
        guard request.method == "GET" else { return notAllowed("GET") }
        return .xml(
            200,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<manifest xmlns=\"http://openrosa.org/xforms/xformsManifest\"></manifest>")
    }

    /// Answers a heartbeat: nothing newer than what the device has.
    func heartbeat(_ request: ServedRequest, _ domain: String) -> ServedAnswer {
        guard request.method == "GET" else { return Self.notAllowed("GET") }
        if case .refused(let answer) = access(request, domain, isRequired: true) { return answer }
        var answer = HeartbeatAnswer()
        // A device skips what is not about its own application.
        answer.appID = request.parameter("app_id") ?? request.segments.dropFirst(4).first
        answer.apkVersion = request.parameter("cc_version").map { .init($0, isForced: false) }
        answer.appVersion = request.parameter("app_version").map { .init($0, isForced: false) }
        answer.forcesLogs = false
        answer.disablesBackgroundWork = false
        return .json(200, answer.text)
    }

    /// Answers a search for cases of one or more types; every other parameter is a property that
    /// has to be equal.
    func search(_ request: ServedRequest, _ domain: String) -> ServedAnswer {
        guard request.method == "GET" || request.method == "POST" else {
            return Self.notAllowed("GET, POST")
        }
        if case .refused(let answer) = access(request, domain, isRequired: true) { return answer }
        let parameters = request.parameters
        let types = parameters.filter { $0.name == "case_type" }.map(\.value)
        guard !types.isEmpty else {
            return .text(400, "Search request must specify case_type")
        }
        let wanted = parameters.filter {
            $0.name != "case_type" && !$0.name.hasPrefix("commcare_")
                && !$0.name.hasPrefix("x_commcare_")
        }
        func value(_ name: String, of state: CaseState) -> String? {
            switch name {
            case "case_id": state.id
            case "case_name", "name": state.name
            case "owner_id": state.ownerID
            case "external_id": state.externalID
            case "status": state.isClosed ? "closed" : "open"
            default: state[property: name]
            }
        }
        let includesClosed = parameters.contains {
            $0.name == "status" || ($0.name == "include_closed" && $0.value.lowercased() == "true")
        }
        let found =
            (domains[domain]?.set.cases.values).map { cases in
                cases.filter { state in
                    types.contains(state.caseType ?? "") && (includesClosed || !state.isClosed)
                        && wanted.allSatisfy {
                            $0.name == "include_closed" || value($0.name, of: state) == $0.value
                        }
                }
            } ?? []
        let text = found.sorted { $0.id < $1.id }.prefix(500).map(CaseElement.found).joined()
        return .xml(200, "<results id=\"case\">\(text)</results>")
    }

    /// Answers a claim: a case that extends the one claimed brings that to the user's devices.
    mutating func claim(
        _ request: ServedRequest, _ domain: String, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer {
        guard request.method == "POST" else { return Self.notAllowed("POST") }
        var user: Accounts.User
        switch access(request, domain, isRequired: true) {
        case .user(let known): user = known
        case .nobody: return Self.notAllowed("POST")
        case .refused(let answer): return answer
        }
        let parameters = request.parameters
        let other = parameters.first { $0.name == "commcare_login_as" }?.value
        switch loginAs(other, by: user, domain) {
        case .user(let known): user = known
        case .nobody: break
        case .refused(let answer): return answer
        }
        let ids = parameters.filter { $0.name == "case_id" && !$0.value.isEmpty }.map(\.value)
        guard !ids.isEmpty else { return .text(400, "A case_id is required") }
        for id in ids {
            guard let state = domains[domain]?.set[id], !state.isClosed else {
                return .text(410, "No case matches the id \(id)")
            }
        }
        let held = domains[domain]?.footprint(owners(user)) ?? [:]
        var claimed = false
        for id in ids where held[ExactText(id)] == nil {
            let name = parameters.first { $0.name == "case_name" }?.value ?? ""
            let type = domains[domain]?.set[id]?.caseType
            let block = CaseBlock(
                caseID: Self.identifier(&random),
                dateModified: Timestamp(unixSeconds: now).text(digits: 6),
                userID: user.uuid,
                create: .init(
                    caseType: "commcare-case-claim", caseName: String(name.prefix(255)),
                    ownerID: user.uuid),
                indices: [
                    .init(name: "host", caseType: type, relationship: "extension", target: id)
                ])
            let form = FormDocument(block)
            guard let change = try? (domains[domain] ?? CommCareDomain()).judge(form),
                domains[domain]?.hasRoom(for: change) ?? true
            else { return .busy("This server has no room for more cases") }
            file(
                form, change,
                FiledForm(
                    domain: domain, number: formCount(domain: domain) + 1,
                    instanceID: Self.identifier(&random), fingerprint: FormFingerprint([]),
                    namespace: "", received: now, user: user.uuid, token: nil, bytes: [],
                    attachments: []))
            claimed = true
        }
        return claimed ? .text(201, "") : ServedAnswer(204)
    }
}
