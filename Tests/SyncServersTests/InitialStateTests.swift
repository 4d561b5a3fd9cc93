import Notation
import OpenRosa
import Replaying
import Serving
import Testing
import Wire

@testable import Simperium
@testable import SyncServers

@Suite struct InitialStateTests {
    /// A server that begins with what the notes of another one say.
    private func server(_ state: SessionState, seed: UInt64 = 99) -> SimperiumServer {
        let initial = InitialState(state.holdings, accounts: .open, now: 0)
        var random = SplitMix64(seed: seed)
        var server = SimperiumServer(accounts: initial.accounts)
        server.seed(&random)
        server.begin(with: initial)
        return server
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a server that begins with what was seen of another is that server`(seed: UInt64) throws {
        var world = ObservedServer(clients: 3, seed: seed)
        var compared = 0
        for _ in 0..<60 {
            for _ in 0..<20 { world.step() }
            let copy = server(world.state)
            let original = world.server.model.buckets
            guard let one = original.first?.value else { continue }
            let other = try #require(copy.model.buckets.first)
            #expect(copy.model.buckets.count == original.count)
            let known = try #require(world.state.buckets.first)
            // What was done while nobody was there is not known of the original.
            guard known.isComplete, known.cv == one.cv else { continue }
            compared += 1
            let seen = one.contents.filter { !$0.isRemoved }
            let begun = other.value.contents.filter { !$0.isRemoved }
            #expect(begun.map(\.key).sorted() == seen.map(\.key).sorted(), "seed \(seed)")
            for object in seen {
                let same = try #require(other.value.history(of: object.key))
                #expect(same.number == object.number)
                #expect(same.data == object.data)
                for version in object.versions {
                    let data = other.value.data(of: object.key, at: version.number)
                    #expect(data == version.data, "seed \(seed): \(object.key).\(version.number)")
                }
            }
            #expect(other.value.cv == one.cv)
            for change in world.changes {
                let cv = change.cv ?? ""
                #expect(other.value.changes(since: cv) == one.changes(since: cv), "seed \(seed)")
            }
        }
        #expect(compared > 40)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `built-in clients go on with it, and nothing is lost or doubled`(seed: UInt64) {
        var world = ObservedServer(clients: 3, seed: seed)
        for _ in 0..<(200 + Int(seed) * 20) { world.step() }
        #expect(world.letters.count > 20)
        let knewAll = world.peers.allSatisfy { $0.bucket.cv != nil }
        world.goOn(with: server(world.state))
        world.settle()
        let held = world.held
        for client in world.peers.indices {
            #expect(world.peers[client].bucket.phase == .synced)
            #expect(world.local(client) == held, "seed \(seed), client \(client)")
        }
        let text = held.values.compactMap { $0["text"]?.string }.joined()
        for letter in world.letters {
            #expect(text.count { $0 == letter } == 1, "seed \(seed): \(letter)")
        }
        if knewAll { #expect(world.indexRequests == 0, "seed \(seed)") }
    }
}

/// What a client is refused, and who a token leads to.
@Suite struct InitialStateRefusalTests {
    private static let token = String(repeating: "a", count: 32)
    private static let other = String(repeating: "b", count: 32)

    /// A session that is written down line by line: `C` for the client, `S` for the server.
    private func state(_ lines: String...) -> SessionState {
        var state = SessionState(keepsHistory: true)
        for (number, line) in lines.enumerated() {
            let text = Array(line.dropFirst(2).utf8)
            state.command(
                CommandID(Int64(number + 1)), socket: ConnectionID(1),
                sender: line.hasPrefix("C") ? .client : .server,
                at: Instant(nanoseconds: Int64(number)), text: text)
        }
        return state
    }

    private func opening(
        _ token: String, channel: Int = 0, bucket: String = "notes"
    ) -> String {
        "\(channel):init:{\"clientid\":\"c\",\"api\":\"1.1\",\"token\":\"\(token)\",\"app_id\":\"app\","
            + "\"name\":\"\(bucket)\",\"library\":\"x\",\"version\":\"1\"}"
    }

    private struct Served {
        let initial: InitialState
        var server: SimperiumServer
        var random = SplitMix64(seed: 3)

        init(_ state: SessionState, accounts: Accounts = .open) {
            initial = InitialState(state.holdings, accounts: accounts, now: 0)
            server = SimperiumServer(accounts: initial.accounts)
            server.seed(&random)
            server.begin(with: initial)
            server.open(1, app: "app")
        }

        mutating func say(_ text: String) -> [String] {
            server.receive(Array(text.utf8), from: 1, random: &random).map(\.text)
        }
    }

    private func change(_ ccid: String, _ v: Int) -> String {
        "0:c:{\"id\":\"k\",\"o\":\"M\",\"ccid\":\"\(ccid)\",\"sv\":1,"
            + "\"v\":{\"a\":{\"o\":\"r\",\"v\":\(v)}}}"
    }

    @Test(arguments: [(401, true), (413, true), (400, true), (440, false), (405, false)])
    func `a change that was refused for a reason of the server is refused again`(
        code: Int, isAgain: Bool
    ) {
        var served = Served(
            state(
                "C \(opening(Self.token))", "S 0:auth:ada", "C 0:i:1:::10",
                "S 0:i:{\"current\":\"x\",\"index\":[{\"id\":\"k\",\"v\":1,\"d\":{\"a\":1}}]}",
                "C \(change("one", 2))",
                "S 0:c:[{\"id\":\"k\",\"clientid\":\"c\",\"ccids\":[\"one\"],\"error\":\(code)}]"))
        #expect(served.say(opening(Self.token)) == ["0:auth:ada"])
        let answer = served.say(change("one", 2)).joined()
        #expect(answer.contains("\"error\":\(code)") == isAgain, "\(answer)")
        #expect(served.say(change("two", 3)).joined().contains("\"sv\":") == true)
    }

    @Test func `a token that was refused last is refused again`() {
        var served = Served(
            state(
                "C \(opening(Self.token))", "S 0:auth:ada",
                "C \(opening(Self.token, channel: 1, bucket: "tags"))",
                "S 1:auth:{\"code\":401,\"msg\":\"Token invalid\"}"))
        #expect(served.say(opening(Self.token)).joined().contains("\"code\":401"))
        // Another one is that of the only user.
        #expect(served.say(opening(Self.other)) == ["0:auth:ada"])
    }

    @Test func `any other token leads to the only user, and not to one of several`() {
        let lines = [
            "C \(opening(Self.token))", "S 0:auth:ada", "C 0:i:1:::10",
            "S 0:i:{\"current\":\"x\",\"index\":[{\"id\":\"k\",\"v\":1,\"d\":{\"a\":1}}]}",
        ]
        var one = Served(state(lines[0], lines[1], lines[2], lines[3]))
        #expect(one.say(opening(Self.other)) == ["0:auth:ada"])
        #expect(one.say("0:e:k.1") == ["0:e:k.1\n{\"data\":{\"a\":1}}"])
        var two = Served(
            state(
                lines[0], lines[1], lines[2], lines[3],
                "C \(opening(String(repeating: "c", count: 32), channel: 1))", "S 1:auth:bert"))
        #expect(two.say(opening(Self.other)) == ["0:auth:bbbbbbbb@simperium.invalid"])
        #expect(two.say("0:e:k.1") == ["0:e:k.1\n?"])
        #expect(two.say(opening(Self.token)) == ["0:auth:ada"])
        #expect(two.say("0:e:k.1") == ["0:e:k.1\n{\"data\":{\"a\":1}}"])
    }

    @Test func `changes after a gap are sent, and those before it are unknown`() {
        func made(_ cv: String, _ sv: Int, _ ccid: String) -> String {
            "S 0:c:[{\"id\":\"k\",\"o\":\"M\",\"clientid\":\"d\",\"ccids\":[\"\(ccid)\"],\"sv\":\(sv),"
                + "\"ev\":\(sv + 1),\"cv\":\"\(cv)\",\"v\":{\"a\":{\"o\":\"r\",\"v\":\(sv)}}}]"
        }
        var served = Served(
            state(
                "C \(opening(Self.token))", "S 0:auth:ada", "C 0:i:1:::10",
                "S 0:i:{\"current\":\"x\",\"index\":[{\"id\":\"k\",\"v\":1,\"d\":{\"a\":1}}]}",
                made("y", 1, "one"), "C \(opening(Self.token))", "S 0:auth:ada", "C 0:cv:y",
                "S 0:cv:?", "C 0:i:1:::10",
                "S 0:i:{\"current\":\"z\",\"index\":[{\"id\":\"k\",\"v\":5,\"d\":{\"a\":5}}]}",
                made("zz", 5, "two")))
        #expect(served.say(opening(Self.token)) == ["0:auth:ada"])
        for old in ["x", "y", "w"] { #expect(served.say("0:cv:\(old)") == ["0:cv:?"]) }
        #expect(served.say("0:cv:z").joined().contains("\"cv\":\"zz\""))
        #expect(served.say("0:cv:zz") == ["0:c:[]"])
        #expect(served.say("0:e:k.5") == ["0:e:k.5\n{\"data\":{\"a\":5}}"])
    }

    @Test func `an object without data is left out, and said so`() {
        let served = Served(
            state(
                "C \(opening(Self.token))", "S 0:auth:ada", "C 0:i::::10",
                "S 0:i:{\"current\":\"x\",\"index\":[{\"id\":\"k\",\"v\":1},{\"id\":\"l\",\"v\":2}]}",
                "C 0:e:k.1", "S 0:e:k.1\n{\"data\":{\"a\":1}}"))
        #expect(served.initial.counts.objects == 1)
        #expect(served.initial.leftOut == ["1 object whose data the trace does not have"])
    }

    @Test func `data that are sent later are those of the version`() {
        let lines = [
            "C \(opening(Self.token))", "S 0:auth:ada", "C 0:i::::10",
            "S 0:i:{\"current\":\"x\",\"index\":[{\"id\":\"k\",\"v\":1},{\"id\":\"l\",\"v\":2}]}",
        ]
        var holdings = state(lines[0], lines[1], lines[2], lines[3]).holdings
        #expect(holdings.buckets.first?.count == 0 && holdings.buckets.first?.unknown.count == 2)
        // Of the other object only a later version is sent.
        holdings.complete(
            from: state(
                lines[0], lines[1], lines[2], lines[3], "C 0:e:k.1",
                "S 0:e:k.1\n{\"data\":{\"a\":1}}", "C 0:e:l.3", "S 0:e:l.3\n{\"data\":{\"a\":3}}"))
        #expect(holdings.buckets.first?.objects.map(\.key) == ["k"])
        #expect(holdings.buckets.first?.objects.first?.data?["a"] == .number("1"))
        #expect(holdings.buckets.first?.unknown == [ExactText("l"): 2])
    }

    @Test func `with an accounts file, users of the same name get what was theirs`() throws {
        let accounts = try Accounts(
            yaml: "users:\n  - name: ada\n    tokens: [\(Self.other)]\n    apps: [app]\n")
        var served = Served(
            state(
                "C \(opening(Self.token))", "S 0:auth:ada", "C 0:i:1:::10",
                "S 0:i:{\"current\":\"x\",\"index\":[{\"id\":\"k\",\"v\":1,\"d\":{\"a\":1}}]}",
                "C \(opening(String(repeating: "c", count: 32), channel: 1))", "S 1:auth:bert"),
            accounts: accounts)
        #expect(
            served.initial.leftOut == ["what 1 user had who is not in the accounts file (bert)"])
        for token in [Self.other, Self.token] {
            #expect(served.say(opening(token)) == ["0:auth:ada"])
            #expect(served.say("0:e:k.1") == ["0:e:k.1\n{\"data\":{\"a\":1}}"])
        }
    }
}

/// What a device is refused, and who credentials lead to.
@Suite struct InitialStateCommCareTests {
    private struct Session {
        var state = SessionState(keepsHistory: true)
        private var number: Int64 = 0

        mutating func exchange(
            _ api: String, _ method: String, _ path: String, user: String = "ada",
            body: String = "",
            status: Int, answer: String
        ) {
            number += 1
            let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
            let exchange = RecordedExchange(
                id: ExchangeID(number), method: method, host: "hq.example", path: parts[0],
                query: parts.count > 1 ? parts[1] : nil, status: status,
                startedAt: Instant(nanoseconds: number), endedAt: Instant(nanoseconds: number))
            let field = ReplayMessage.Field(
                "Authorization", BasicCredentials(user: user, password: "p").authorization)
            state.exchange(
                exchange, api: api,
                request: ReplayMessage(fields: [field], body: Array(body.utf8)),
                response: ReplayMessage(fields: [], body: Array(answer.utf8)))
        }

        mutating func submit(_ form: String, status: Int = 201, nature: String = "submit_success") {
            exchange(
                "commcare.submit", "POST", "/a/demo/receiver/", body: form, status: status,
                answer: Self.answer(nature, "because"))
        }

        mutating func restore(_ id: String = "u1", token: String = "token-1") {
            exchange(
                "commcare.restore", "GET", "/a/demo/phone/restore/?version=2.0", status: 200,
                answer: Self.answer(
                    "ota_restore_success", "",
                    "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>\(token)</restore_id>"
                        + "</Sync><Registration xmlns=\"http://openrosa.org/user/registration\">"
                        + "<username>ada</username><uuid>\(id)</uuid></Registration>"))
        }

        static func answer(_ nature: String, _ text: String, _ more: String = "") -> String {
            "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"\(nature)\">\(text)</message>\(more)</OpenRosaResponse>"
        }
    }

    private static func form(_ id: String, _ text: String = "") -> String {
        "<data xmlns=\"http://example.org/f\"><a>\(text)</a><meta><instanceID>\(id)</instanceID>"
            + "</meta></data>"
    }

    private func server(_ session: Session) -> CommCareServer {
        let initial = InitialState(session.state.holdings, accounts: .open, now: 10)
        var server = CommCareServer(accounts: initial.accounts)
        server.domains = initial.domains
        return server
    }

    private func ask(
        _ server: inout CommCareServer, _ method: String, _ path: String, user: String = "ada",
        body: String = ""
    ) -> ServedAnswer? {
        var random = SplitMix64(seed: 1)
        var request = ServedRequest(method, path)
        request.fields = [
            .init("Authorization", BasicCredentials(user: user, password: "p").authorization),
            .init("X-OpenRosa-Version", "3.0"), .init("Content-Type", "text/xml"),
        ]
        request.body = Array(body.utf8)
        return server.answer(request, now: 20, random: &random)
    }

    @Test func `a form that was refused is refused again, and an edited one is not`() {
        var session = Session()
        session.restore()
        session.submit(Self.form("f"), status: 422, nature: "processing_failure")
        var server = server(session)
        let again = ask(&server, "POST", "/a/demo/receiver/", body: Self.form("f"))
        #expect(again?.status == 422)
        #expect(again.map { String(decoding: $0.body, as: UTF8.self) }?.contains("because") == true)
        let edited = ask(&server, "POST", "/a/demo/receiver/", body: Self.form("f", "x"))
        #expect(edited?.status == 201)
    }

    @Test func `a form that was accepted in the end is not refused, nor stored twice`() {
        var session = Session()
        session.restore()
        session.submit(Self.form("f"), status: 422, nature: "processing_failure")
        session.submit(Self.form("f"))
        var server = server(session)
        let count = server.domains["demo"]?.forms.count
        let again = ask(&server, "POST", "/a/demo/receiver/", body: Self.form("f"))
        #expect(again?.status == 201)
        #expect(server.domains["demo"]?.forms.count == count)
        #expect(server.domains["demo"]?.forms[ExactText("f")]?.edits == 0)
    }

    @Test func `credentials that were refused last are refused again`() {
        var session = Session()
        session.restore()
        session.exchange(
            "commcare.restore", "GET", "/a/demo/phone/restore/", user: "eve", status: 401,
            answer: "no")
        var server = server(session)
        #expect(ask(&server, "GET", "/a/demo/phone/restore/", user: "eve")?.status == 401)
        #expect(ask(&server, "GET", "/a/demo/phone/restore/")?.status == 200)
    }

    @Test func `users keep their identifiers, and any other name is the only user`() {
        var session = Session()
        session.restore("u1")
        var server = server(session)
        for user in ["ada", "ada@demo", "ada@demo.commcarehq.org", "stand-in"] {
            let answer = ask(
                &server, "GET", "/a/demo/phone/restore/?since=token-1&user_id=u1&state=ccsh:",
                user: user)
            #expect(answer?.status == 200, "\(user)")
        }
        #expect(
            ask(&server, "GET", "/a/demo/phone/restore/?since=token-2")?.status == 412)
    }
}

/// What a state file has of what a server began with.
@Suite struct InitialStateStoringTests {
    @Test(arguments: 0..<6 as Range<UInt64>)
    func `a bucket is the same after a restart`(seed: UInt64) throws {
        var world = ObservedServer(clients: 3, seed: seed)
        for _ in 0..<400 { world.step() }
        let initial = InitialState(world.state.holdings, accounts: .open, now: 0)
        let kept = try SimperiumStoreTests.Kept(initial.accounts, seed: seed)
        kept.server.begin(with: initial)
        try kept.store?.begin(with: initial, of: kept.server)
        let before = try #require(kept.server.model.buckets.first)
        try kept.start()
        let after = try #require(kept.server.model.buckets[before.key])
        #expect(kept.server.tokens == initial.tokens)
        #expect(after.contents == before.value.contents)
        #expect(after.cv == before.value.cv)
        #expect(after.knownCount == before.value.knownCount)
        for change in before.value.log.entries.map(\.change) {
            let cv = change.cv ?? ""
            #expect(after.changes(since: cv) == before.value.changes(since: cv))
        }
    }
}
