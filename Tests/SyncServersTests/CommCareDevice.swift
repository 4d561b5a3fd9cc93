import Notation
import OpenRosa
import Serving
import Wire

@testable import SyncServers

/// What a device talks to.
protocol CommCareAnswering {
    mutating func ask(
        _ method: String, _ target: String, _ fields: [(String, String)], body: [UInt8]
    ) -> ServedAnswer
}

extension CommCareAnswering {
    mutating func ask(
        _ method: String, _ target: String, _ fields: [(String, String)] = []
    ) -> ServedAnswer {
        ask(method, target, fields, body: [])
    }
}

/// A CommCare server that a test talks to, and the clock.
struct CommCarePlay: CommCareAnswering {
    var server: CommCareServer
    var random = SplitMix64(seed: 1)
    /// 2026-01-01T00:00:00Z.
    var now: Int64 = 1_767_225_600

    init(_ options: CommCareServer.Options = .init(), accounts: Accounts = .open) {
        server = CommCareServer(options: options, accounts: accounts)
    }

    mutating func ask(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], body: [UInt8] = []
    ) -> ServedAnswer {
        server.answer(
            ServedRequest(
                method, target, fields: fields.map { .init($0.0, $0.1) }, body: body),
            now: now, random: &random) ?? ServedAnswer(404)
    }
}

/// A device that does what CommCare does: sends forms with its token, applies them itself, purges
/// before it syncs, and starts again after a 412.
struct CommCareDevice {
    var set = CaseSet()
    var token: String?
    let user: String
    /// The owners whose cases the device keeps; nil for all.
    var owners: Set<ExactText>?
    var isForgetful = false
    /// The identifier of the user, where the device keeps the cases of the user and of the groups
    /// that restores name, as real ones do.
    var userID: String?

    init(user: String, owners: Set<ExactText>? = nil) {
        self.user = user
        self.owners = owners
    }

    /// `user:p` for basic authentication.
    private var authorization: (String, String) {
        ("Authorization", "Basic " + Self.base64(Array("\(user):p".utf8)))
    }

    /// Submits a form and applies it.
    mutating func submit(
        _ id: String, _ cases: String, to play: inout some CommCareAnswering
    ) -> Int {
        var fields = [authorization, ("X-OpenRosa-Version", "3.0")]
        if let token, !isForgetful { fields.append((CommCareRequest.lastSyncToken, token)) }
        let form = Array(CommCareServerTests.form(id, cases).utf8)
        let answer = play.ask("POST", "/a/demo/receiver/", fields, body: form)
        if answer.status == 201 {
            _ = try? set.submit(CommCareReader.read(form, purpose: .submission).events)
        }
        return answer.status
    }

    /// Syncs once; statuses of what was asked, and how many cases came.
    mutating func sync(with play: inout some CommCareAnswering) -> (statuses: [Int], cases: Int) {
        _ = try? set.purge(owners: owners)
        var target = "/a/demo/phone/restore/?version=2.0&items=true"
        if let token { target += "&since=\(token)&state=\(set.stateHash)" }
        let answer = play.ask("GET", target, [authorization, ("X-OpenRosa-Version", "3.0")])
        if answer.status == 412, token != nil {
            token = nil
            let (statuses, cases) = sync(with: &play)
            return ([412] + statuses, cases)
        }
        guard answer.status == 200 else { return ([answer.status], 0) }
        if token == nil { set.removeCasesAndLedgers() }
        var cases = 0
        for event in CommCareReader.read(answer.body).events {
            switch event {
            case .caseBlock(let block):
                cases += 1
                _ = try? set.apply(block, from: .restore)
            case .ledger(let block): _ = try? set.apply(block)
            case .restoreID(let id): token = id.id
            case .fixture(let fixture):
                guard let userID, let groups = fixture.groups else { continue }
                owners = Set((groups + [userID]).map { ExactText($0) })
            default: break
            }
        }
        return ([200], cases)
    }

    /// Open cases, by identifier.
    var open: [String] { self.set.cases.values.filter { !$0.isClosed }.map(\.id).sorted() }

    static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? digits[value >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }
}
