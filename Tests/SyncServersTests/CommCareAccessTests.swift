import Notation
import OpenRosa
import Serving
import Storage
import Testing

@testable import SyncServers

struct CommCareAccessTests {
    static let token = "0123456789abcdef0123456789abcdef"
    static let file = """
        users:
          - {name: ada, password: p, uuid: ada1, tokens: [\(token)], domains: [demo]}
          - {name: bob, password: p, uuid: bob1, login-as: true}
          - {name: eve, password: p, active: false}
        """
    static let ada = ("Authorization", "Basic YWRhOnA=")
    static let bob = ("Authorization", "Basic Ym9iOnA=")
    static let bearer = ("Authorization", "Bearer \(token)")

    /// A server of these users, with a case of ada's.
    static func play() throws -> CommCarePlay {
        var play = CommCarePlay(accounts: try Accounts(yaml: file))
        var device = CommCareDevice(user: "ada")
        _ = device.submit("1", CommCareSyncTests.block("c", owner: "ada1"), to: &play)
        return play
    }

    static func text(_ answer: ServedAnswer) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    struct Row: Sendable {
        var fields: [(String, String)]
        var query = ""
        var domain = "demo"
        var status: Int
        var detail: String
    }

    static let rows = [
        Row(fields: [], status: 401, detail: "Sign in"),
        Row(fields: [ada], status: 200, detail: "case_id=\"c\""),
        Row(fields: [bearer], status: 200, detail: "case_id=\"c\""),
        Row(
            fields: [("Authorization", "Basic YWRhOng=")], status: 401, detail: "password is wrong"),
        Row(fields: [("Authorization", "Bearer x")], status: 401, detail: "token is not known"),
        Row(
            fields: [("Authorization", "Bearer \(token)0")], status: 401,
            detail: "token is not known"
        ),
        Row(fields: [("Authorization", "Digest x")], status: 401, detail: "Basic or Bearer"),
        Row(fields: [ada], domain: "other", status: 401, detail: "no member of the domain other"),
        Row(
            fields: [bearer], domain: "other", status: 401, detail: "no member of the domain other"),
        Row(fields: [bob], query: "?as=ada", status: 200, detail: "<uuid>ada1</uuid>"),
        Row(fields: [bob], query: "?as=ada@demo.commcarehq.org", status: 200, detail: ">ada1<"),
        Row(fields: [bob], query: "?as=ada&user_id=ada1", status: 200, detail: "case_id=\"c\""),
        Row(fields: [bob], query: "?as=", status: 200, detail: "<uuid>bob1</uuid>"),
        Row(fields: [bob], query: "?as=zoe", status: 401, detail: "Invalid restore as user zoe"),
        Row(fields: [bob], query: "?as=eve", status: 401, detail: "Invalid restore as user eve"),
        Row(
            fields: [bob], query: "?as=ada", domain: "other", status: 401, detail: "as user ada"),
        Row(fields: [ada], query: "?as=bob", status: 401, detail: "login-as: true"),
        Row(fields: [("Authorization", "Basic ZXZlOnA=")], status: 406, detail: "user.deactivated"),
    ]

    @Test(arguments: rows.indices)
    func `lets in whom it should`(place: Int) throws {
        let row = Self.rows[place]
        var play = try Self.play()
        let answer = play.ask("GET", "/a/\(row.domain)/phone/restore/\(row.query)", row.fields)
        #expect(answer.status == row.status, "\(row): \(Self.text(answer))")
        #expect(Self.text(answer).contains(row.detail), "\(row): \(Self.text(answer))")
        let challenge = answer.fields.first { $0.name == "WWW-Authenticate" }
        #expect((challenge != nil) == (row.status == 401))
    }

    @Test func `takes any long token where everybody is let in`() {
        var play = CommCarePlay()
        func restore(_ token: String) -> ServedAnswer {
            play.ask("GET", "/a/demo/phone/restore/", [("Authorization", "Bearer \(token)")])
        }
        let one = restore(Self.token)
        let other = restore(Self.token + "0")
        #expect(one.status == 200 && other.status == 200)
        // The beginning is the same, the users are not.
        func uuid(_ answer: ServedAnswer) -> Substring {
            Self.text(answer).split(separator: "uuid>").dropFirst().first ?? ""
        }
        #expect(!uuid(one).isEmpty && uuid(one) != uuid(other))
        #expect(restore("short").status == 401)
    }

    @Test func `gives a user the same key for ever`() throws {
        // Read, write and create, in memory.
        let connection = try Connection(path: ":memory:", flags: 6)
        var server = try KeptCommCareServer(
            CommCareServer(accounts: try Accounts(yaml: Self.file)), connection, now: 0)
        var random = SplitMix64(seed: 1)
        func keys(_ field: (String, String), _ now: Int64) -> String {
            let answer = server.answer(
                ServedRequest(
                    "GET", "/a/demo/phone/keys/?device_id=d&last_issued=x",
                    fields: [.init(field.0, field.1)]), now: now, random: &random)
            return answer.map { "\($0.status) " + Self.text($0) } ?? ""
        }
        let first = keys(Self.ada, 0)
        #expect(first.hasPrefix("200 <OpenRosaResponse"))
        #expect(first.contains("<auth_keys domain=\"demo\" issued=\"1970-01-01T00:00:00Z\">"))
        #expect(first.contains("<key_record valid=\"1970-01-01T00:00:00Z\"><uuid>"))
        let key = first.split(separator: "AES256\">").last?.prefix(44)
        #expect(key.flatMap { Base64.decode($0.utf8) }?.count == 32)
        #expect(keys(Self.bob, 0) != first)
        server = try KeptCommCareServer(
            CommCareServer(accounts: try Accounts(yaml: Self.file)), connection, now: 0)
        #expect(
            keys(Self.bearer, 60)
                == first.replacing(
                    "issued=\"1970-01-01T00:00:00Z", with: "issued=\"1970-01-01T00:01:00Z"))
        #expect(keys(("Authorization", "Basic !"), 0).hasPrefix("401 "))
    }

    @Test func `limits what a user sends in a minute`() {
        var options = CommCareServer.Options(restorePolls: 2)
        options.submissionsPerMinute = 2
        options.restoresPerMinute = 1
        var play = CommCarePlay(options)
        var (a, b) = (CommCareDevice(user: "a"), CommCareDevice(user: "b"))
        // Asking again for what is being made is no restore of its own.
        #expect((0..<3).map { _ in a.sync(with: &play).statuses } == [[202], [202], [200]])
        #expect(a.sync(with: &play).statuses == [429])
        #expect(b.sync(with: &play).statuses == [202])
        #expect((1...3).map { a.submit("\($0)", "", to: &play) } == [201, 201, 429])
        #expect(b.submit("4", "", to: &play) == 201)
        play.now += 30
        let refused = play.ask(
            "POST", "/a/demo/receiver/", [("Authorization", "Basic YTpw")], body: Array("x".utf8))
        #expect(refused.fields.contains(.init("Retry-After", "30")))
        #expect(Self.text(refused) == "Too many submissions in this minute; try again in 30 s")
        play.now += 30
        #expect(a.submit("3", "", to: &play) == 201)
        #expect(play.server.formCount(domain: "demo") == 4)
    }

    @Test func `a restore that is refused with 412 counts to the limit`() {
        var options = CommCareServer.Options()
        options.restoresPerMinute = 2
        var play = CommCarePlay(options)
        let target = "/a/demo/phone/restore/?version=2.0&since=unknown"
        let statuses = (0..<3).map { _ in
            play.ask("GET", target, [("Authorization", "Basic YTpw")]).status
        }
        #expect(statuses == [412, 412, 429])
    }

    @Test func `is over capacity for everybody at once`() {
        var options = CommCareServer.Options()
        options.requestsPerMinute = 2
        var play = CommCarePlay(options)
        let targets = ["/a/demo/formList", "/nowhere", "/formList", "/a/demo/phone/restore/"]
        let answers = targets.map { play.ask("GET", $0) }
        #expect(answers.map(\.status) == [200, 404, 200, 503])
        #expect(answers[3].fields.contains(.init("Retry-After", "60")))
        #expect(Self.text(answers[3]).contains("over capacity"))
        play.now += 60
        #expect(play.ask("GET", "/formList").status == 200)
    }

    @Test func `gives version 1 to who asks for it`() throws {
        var play = try Self.play()
        let answer = play.ask("GET", "/a/demo/phone/restore/?version=1.0&items=true", [Self.ada])
        #expect(Self.text(answer).contains("<case><case_id>c</case_id><date_modified>"))
        #expect(CommCareReader.read(answer.body).error == nil)
    }
}
