import Notation
import OpenRosa
import Replaying
import Wire

/// A small CommCare server whose identifiers come from a seed, and which may be in a bad mood.
struct FakeCommCare {
    private var random: SplitMix64
    private var moods: SplitMix64
    /// Percent of requests that are answered with 429, 503 or 412 without need.
    private let moodiness: Int
    /// Percent of restores that are prepared while the device waits.
    private let delays: Int
    private let user: String
    private var cases: [String: Int] = [:]
    private var forms: [String] = []
    /// What the device with a token has: cases by identifier, as they were.
    private var tokens: [String: [String: Int]] = [:]
    private var pending = 0
    /// Whether the last token is of a full restore, which is not forgotten at once.
    private var isNew = false

    init(seed: UInt64, delays: Int = 0, moodiness: Int = 0) {
        self.delays = delays
        random = SplitMix64(seed: seed)
        moods = SplitMix64(seed: seed &+ 1)
        self.moodiness = moodiness
        user = random.name()
        for _ in 0..<3 { cases["seeded-\(cases.count)"] = 1 }
    }

    mutating func answer(_ request: HTTPPlayRequest) -> HTTPPlayAnswer {
        if moods.chance(moodiness), pending == 0 {
            if moods.chance(50) {
                let isPolite = moods.chance(50)
                return .text(moods.chance(50) ? 429 : 503, isPolite ? ["Retry-After: 2"] : [])
            }
        }
        if request.method == "POST" { return submit(request) }
        return restore(request)
    }

    private mutating func submit(_ request: HTTPPlayRequest) -> HTTPPlayAnswer {
        var instance = ""
        let token = request.value("x-commcarehq-lastsynctoken")
        for event in CommCareReader.read(request.body, purpose: .submission).events {
            switch event {
            case .caseBlock(let block):
                let id = block.caseID ?? ""
                cases[id, default: 0] += 1
                if let token { tokens[token]?[id] = cases[id] }
            case .meta(let meta): instance = meta.instanceID ?? ""
            default: continue
            }
        }
        let isNew = !forms.contains(instance)
        forms.append(instance)
        return .text(
            201, ["Content-Type: text/xml", "Date: now \(random.next())"],
            "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\"><message nature="
                + "\"submit_success\">\(isNew ? "new" : "again") \(instance)</message>"
                + "</OpenRosaResponse>")
    }

    private mutating func restore(_ request: HTTPPlayRequest) -> HTTPPlayAnswer {
        func parameter(_ name: String) -> String? {
            request.query?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
                .map { $0.dropFirst(name.count + 1).split(separator: "%3A").joined(separator: ":") }
        }
        let since = parameter("since")
        if let since {
            let hash = tokens[since].map { CaseStateHash(caseIDs: $0.keys).description }
            let forgets = moods.chance(moodiness) && !isNew
            guard hash != nil, hash == parameter("state"), !forgets else {
                return .text(412, ["Content-Type: text/xml"], Self.response("no"))
            }
        }
        if pending > 0 {
            pending -= 1
            if pending > 0 { return .text(202, ["Retry-After: 1"], Self.response("wait")) }
        } else if moods.chance(delays) {
            pending = 1 + moods.below(3)
            return .text(202, ["Retry-After: \(1 + moods.below(3))"], Self.response("wait"))
        }
        isNew = since == nil
        let token = random.name()
        tokens[token] = cases
        var body =
            "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>\(token)</restore_id></Sync>"
            + "<Registration xmlns=\"http://openrosa.org/user/registration\"><username>ann"
            + "</username><uuid>\(user)</uuid></Registration>"
        // What is new since a token is what another device did, and there is none.
        for id in cases.keys.sorted() where since == nil {
            body +=
                "<case case_id=\"\(id)\" user_id=\"\(user)\" xmlns="
                + "\"http://commcarehq.org/case/transaction/v2\"><create><case_type>p</case_type>"
                + "<case_name>n</case_name></create><update><n>\(cases[id] ?? 0)</n>"
                + "</update></case>"
        }
        return .text(200, ["Content-Type: text/xml"], Self.response(body))
    }

    private static func response(_ text: String) -> String {
        "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">\(text)</OpenRosaResponse>"
    }
}

/// A client that submits and restores as it pleases, and is recorded.
struct FakeClient {
    private var random: SplitMix64
    private(set) var recorded: [Recorded] = []
    private var token: String?
    private var held: Set<String> = []
    private var created: [String] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed &* 31 &+ 5) }

    /// Does some things, each recorded.
    mutating func live(_ steps: Int, _ server: inout FakeCommCare) {
        for _ in 0..<steps {
            if random.chance(60) { submit(&server) } else { sync(&server) }
        }
    }

    private mutating func submit(_ server: inout FakeCommCare) {
        let instance = random.name()
        var blocks = ""
        for _ in 0..<random.below(3) {
            var id = created.isEmpty ? "" : created[random.below(created.count)]
            let isNew = id.isEmpty || random.chance(50)
            if isNew {
                id = random.name()
                created.append(id)
            }
            held.insert(id)
            blocks += HTTPPlayTests.block(id, create: isNew)
        }
        let form = HTTPPlayTests.form(instance, blocks)
        var request = HTTPPlayRequest(
            method: "POST", host: "old.example", path: "/a/demo/receiver/", body: bytes(form))
        request.fields = [.init("Content-Type", "text/xml")]
        if let token { request.fields.append(.init("X-CommCareHQ-LastSyncToken", token)) }
        var tries = 1 + (random.chance(20) ? 1 : 0)
        while tries > 0 {
            tries -= 1
            if ask(request, &server).status != 201 { tries += 1 }
        }
    }

    private mutating func sync(_ server: inout FakeCommCare) {
        var request = HTTPPlayRequest(
            method: "GET", host: "old.example", path: "/a/demo/phone/restore/",
            query: "version=2.0")
        if let token {
            let hash = CaseStateHash(caseIDs: held).description
            request.query = "version=2.0&since=\(token)&state=\(hash)"
            request.fields = [.init("X-CommCareHQ-LastSyncToken", token)]
        }
        while true {
            let answer = ask(request, &server)
            switch answer.status {
            case 412:
                token = nil
                return sync(&server)
            case 200:
                if token == nil { held = [] }
                for event in CommCareReader.read(answer.message.body).events {
                    switch event {
                    case .restoreID(let id): token = id.id
                    case .caseBlock(let block): held.insert(block.caseID ?? "")
                    default: continue
                    }
                }
                return
            default: continue
            }
        }
    }

    private mutating func ask(
        _ request: HTTPPlayRequest, _ server: inout FakeCommCare
    ) -> HTTPPlayAnswer {
        let answer = server.answer(request)
        var one = Recorded(
            Int64(recorded.count + 1), "\(request.method) \(request.target)",
            status: answer.status)
        one.recording.request.fields += request.fields
        one.recording.request.body = request.body
        one.recording.response = answer.message
        recorded.append(one)
        return answer
    }
}
