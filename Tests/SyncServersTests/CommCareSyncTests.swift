import Notation
import OpenRosa
import Serving
import Storage
import Testing
import Wire

@testable import SyncServers

struct CommCareSyncTests {
    static let accounts = """
        users:
          - name: ada
            password: p
            uuid: ada1
            groups: [team]
            domains: [demo]
          - name: bob
            password: p
            uuid: bob1
            domains: [demo]
          - name: eve
            password: p
            active: false
        """

    static func block(_ id: String, owner: String, _ more: String = "") -> String {
        CommCareServerTests.block(
            id,
            "<create><case_type>t</case_type><case_name>n</case_name>"
                + "<owner_id>\(owner)</owner_id></create>" + more)
    }

    static func index(_ target: String, _ relationship: String = "child") -> String {
        "<index><p case_type=\"t\" relationship=\"\(relationship)\">\(target)</p></index>"
    }

    static func update(_ id: String, _ inside: String) -> String {
        CommCareServerTests.block(id, inside)
    }

    @Test func `three devices of one user hold the same`() {
        var play = CommCarePlay()
        var devices = [CommCareDevice](repeating: CommCareDevice(user: "u"), count: 3)
        for place in 0..<3 { #expect(devices[place].sync(with: &play).statuses == [200]) }
        for round in 0..<4 {
            for place in 0..<3 {
                let id = "c\(round)-\(place)"
                #expect(
                    devices[place].submit(
                        "f\(round)-\(place)", Self.block(id, owner: "o"), to: &play) == 201)
            }
            if round > 0 {
                let close = Self.update("c\(round - 1)-0", "<close/>")
                #expect(devices[1].submit("x\(round)", close, to: &play) == 201)
            }
            // Never a mismatch: the server follows each of them.
            for place in 0..<3 { #expect(devices[place].sync(with: &play).statuses == [200]) }
        }
        for place in 0..<3 {
            #expect(devices[place].sync(with: &play) == ([200], 0))
            #expect(devices[place].open == devices[0].open)
        }
        #expect(devices[0].open.count == 9)
    }

    @Test func `sends only what has changed`() {
        var play = CommCarePlay()
        var (a, b) = (CommCareDevice(user: "u"), CommCareDevice(user: "u"))
        for number in 0..<10 {
            _ = a.submit("f\(number)", Self.block("c\(number)", owner: "o"), to: &play)
        }
        #expect(b.sync(with: &play) == ([200], 10))
        #expect(b.sync(with: &play) == ([200], 0))
        #expect(a.sync(with: &play) == ([200], 10))
        _ = a.submit("g", Self.update("c3", "<update><x>1</x></update>"), to: &play)
        #expect(b.sync(with: &play) == ([200], 1))
        #expect(b.set["c3"]?[property: "x"] == "1")
    }

    @Test(arguments: [false, true])
    func `devices that delete the cases of others need no full restore`(
        isRestarted: Bool
    ) throws {
        let connection = try Connection(path: ":memory:", flags: 6)
        let store = try CommCareStore(connection)
        var play = CommCarePlay()
        let uuid = try #require(Accounts.open.user(named: "ada")?.uuid)
        var device = CommCareDevice(user: "ada", owners: [ExactText(uuid)])
        device.userID = uuid
        #expect(device.sync(with: &play).statuses == [200])
        #expect(device.submit("f1", Self.block("a", owner: "other"), to: &play) == 201)
        #expect(device.submit("f2", Self.block("b", owner: uuid), to: &play) == 201)
        if isRestarted {
            try store.write(play.server.takeRecords())
            var server = CommCareServer()
            try store.load(into: &server, now: play.now)
            play.server = server
        }
        // The case comes back, now that its owner is a group of the user.
        #expect(device.sync(with: &play) == ([200], 2))
        #expect(device.open == ["a", "b"])
        #expect(device.sync(with: &play) == ([200], 0))
        // Given to nobody that the restore named, it goes again.
        #expect(
            device.submit(
                "f3", Self.update("a", "<update><owner_id>third</owner_id></update>"), to: &play)
                == 201)
        #expect(device.sync(with: &play) == ([200], 1))
        #expect(device.sync(with: &play).statuses == [200])
        #expect(device.submit("f4", Self.update("a", "<close/>"), to: &play) == 201)
        #expect(device.sync(with: &play).statuses == [200])
        #expect(device.open == ["b"])
    }

    @Test func `a device that hides its token is found out`() throws {
        var play = CommCarePlay()
        var device = CommCareDevice(user: "u")
        _ = device.sync(with: &play)
        device.isForgetful = true
        _ = device.submit("f", Self.block("abc123", owner: "o"), to: &play)
        let token = try #require(device.token)
        let answer = play.ask(
            "GET", "/a/demo/phone/restore/?since=\(token)&state=\(device.set.stateHash)",
            [("Authorization", "Basic dTpw")])
        #expect(answer.status == 412)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(
            text.contains(
                "Phone state hash mismatch. Server hash: ccsh:, Phone hash: \(device.set.stateHash). # of cases: [0]"
            ))
        #expect(text.contains("nature=\"ota_restore_error\""))
        // It recovers, once, with a full restore.
        #expect(device.sync(with: &play) == ([412, 200], 1))
        #expect(device.sync(with: &play).statuses == [200])
    }

    /// What forms do to cases that belong to ada, her team or others, and what she then holds.
    @Test(
        arguments: [
            // Closing purges.
            ([block("a", owner: "ada1"), update("a", "<close/>")], []),
            // A parent stays for its child, whoever owns it, and goes with it.
            ([block("a", owner: "bob1") + block("b", owner: "ada1", index("a"))], ["a", "b"]),
            (
                [
                    block("a", owner: "bob1") + block("b", owner: "ada1", index("a")),
                    update("b", "<close/>"),
                ], []
            ),
            // A case given away goes, and one of the team stays.
            (
                [
                    block("a", owner: "ada1") + block("b", owner: "ada1"),
                    update("a", "<update><owner_id>bob1</owner_id></update>")
                        + update("b", "<update><owner_id>team</owner_id></update>"),
                ], ["b"]
            ),
            // An extension lives as long as its host.
            (
                [
                    block("a", owner: "ada1")
                        + block(
                            "e", owner: "-", "<index><h relationship=\"extension\">a</h></index>")
                ], ["a", "e"]
            ),
            (
                [
                    block("a", owner: "ada1")
                        + block(
                            "e", owner: "-", "<index><h relationship=\"extension\">a</h></index>"),
                    update("a", "<close/>"),
                ], []
            ),
        ] as [([String], [String])])
    func `knows what a device holds`(forms: [String], held: [String]) throws {
        let accounts = try Accounts(yaml: Self.accounts)
        // On a device of its own, with its token, and by way of another device.
        for isOwn in [true, false] {
            var play = CommCarePlay(accounts: accounts)
            let owners: Set<ExactText> = [ExactText("ada1"), ExactText("team")]
            var device = CommCareDevice(user: "ada", owners: owners)
            var other = CommCareDevice(user: "ada", owners: owners)
            #expect(device.sync(with: &play).statuses == [200])
            #expect(other.sync(with: &play).statuses == [200])
            for (place, form) in forms.enumerated() {
                if isOwn {
                    #expect(device.submit("f\(place)", form, to: &play) == 201)
                } else {
                    #expect(other.submit("f\(place)", form, to: &play) == 201)
                    #expect(device.sync(with: &play).statuses == [200])
                }
            }
            #expect(device.sync(with: &play).statuses == [200])
            #expect(device.sync(with: &play).statuses == [200])
            #expect(device.set.cases.keys.map(\.string).sorted() == held)
            var fresh = CommCareDevice(user: "ada", owners: owners)
            #expect(fresh.sync(with: &play).statuses == [200])
            #expect(fresh.set.stateHash == device.set.stateHash)
        }
    }

    @Test func `an index taken away is found out as by CommCare HQ`() throws {
        var play = CommCarePlay(accounts: try Accounts(yaml: Self.accounts))
        var device = CommCareDevice(
            user: "ada", owners: [ExactText("ada1"), ExactText("team")])
        #expect(device.sync(with: &play).statuses == [200])
        let cases = Self.block("a", owner: "bob1") + Self.block("b", owner: "ada1", Self.index("a"))
        #expect(device.submit("1", cases, to: &play) == 201)
        #expect(
            device.submit("2", Self.update("b", "<index><p/></index>"), to: &play) == 201)
        // The device purges the parent; a sync log only purges for what is closed or given away.
        #expect(device.sync(with: &play) == ([412, 200], 1))
        #expect(device.sync(with: &play).statuses == [200])
        #expect(device.set.cases.keys.map(\.string) == ["b"])
    }

    @Test func `gives each user the user's own`() throws {
        var play = CommCarePlay(accounts: try Accounts(yaml: Self.accounts))
        var (ada, bob) = (CommCareDevice(user: "ada"), CommCareDevice(user: "bob@demo"))
        _ = ada.submit(
            "f",
            Self.block("a", owner: "ada1") + Self.block("b", owner: "bob1")
                + Self.block("t", owner: "team"), to: &play)
        #expect(ada.sync(with: &play) == ([200], 2))
        #expect(bob.sync(with: &play) == ([200], 1))
        let text = String(
            decoding: play.ask(
                "GET", "/a/demo/phone/restore/", [("Authorization", "Basic YWRhOnA=")]
            ).body,
            as: UTF8.self)
        #expect(text.contains("<group id=\"team\"><name>team</name></group>"))
        #expect(text.contains("<uuid>ada1</uuid>"))
        // A claim brings a case of another to the user.
        let claim = [
            ("Authorization", "Basic YWRhOnA="),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ]
        #expect(
            play.ask("POST", "/a/demo/phone/claim-case/", claim, body: Array("case_id=b".utf8))
                .status == 201)
        #expect(
            play.ask("POST", "/a/demo/phone/claim-case/", claim, body: Array("case_id=b".utf8))
                .status == 204)
        #expect(
            play.ask("POST", "/a/demo/phone/claim-case/", claim, body: Array("case_id=z".utf8))
                .status == 410)
        #expect(play.ask("POST", "/a/demo/phone/claim-case/", claim).status == 400)
        #expect(ada.sync(with: &play).statuses == [200])
        #expect(ada.set["b"] != nil)
    }

    @Test func `keeps ledgers`() {
        var play = CommCarePlay()
        var (a, b) = (CommCareDevice(user: "u"), CommCareDevice(user: "u"))
        func ledger(_ name: String, _ attributes: String, _ quantity: Int) -> String {
            "<\(name) xmlns=\"http://commcarehq.org/ledger/v1\" \(attributes) "
                + "date=\"2026-01-01\" section-id=\"stock\">"
                + "<entry id=\"soap\" quantity=\"\(quantity)\"/></\(name)>"
        }
        let cases = Self.block("s1", owner: "o") + Self.block("s2", owner: "o")
        #expect(a.submit("1", cases + ledger("balance", "entity-id=\"s1\"", 10), to: &play) == 201)
        #expect(b.sync(with: &play) == ([200], 2))
        #expect(b.set.ledgers["s1", "stock", "soap"] == 10)
        #expect(b.submit("2", ledger("transfer", "src=\"s1\" dest=\"s2\"", 4), to: &play) == 201)
        #expect(a.sync(with: &play).statuses == [200])
        #expect(a.set.ledgers["s1", "stock", "soap"] == 6)
        #expect(a.set.ledgers["s2", "stock", "soap"] == 4)
        #expect(b.sync(with: &play) == ([200], 0))
        // Ledgers of what is not there, and quantities that are none.
        #expect(b.submit("3", ledger("balance", "entity-id=\"z\"", 1), to: &play) == 422)
        #expect(b.submit("4", ledger("balance", "", 1), to: &play) == 422)
    }

    @Test func `a form makes a waiting restore begin again`() {
        var play = CommCarePlay(.init(restorePolls: 2, retryAfter: 5))
        var device = CommCareDevice(user: "u")
        func statuses(_ count: Int) -> [Int] {
            (0..<count).map { _ in device.sync(with: &play).statuses[0] }
        }
        #expect(statuses(3) == [202, 202, 200])
        #expect(statuses(1) == [202])
        #expect(device.submit("f", Self.block("c", owner: "o"), to: &play) == 201)
        #expect(statuses(4) == [202, 202, 200, 202])
        // Those who do not know the 202 get none.
        for version in ["1.0", ""] {
            let answer = play.ask(
                "GET", "/a/demo/phone/restore/",
                [("Authorization", "Basic dTpw"), ("X-OpenRosa-Version", version)])
            #expect(answer.status == 200)
        }
    }

    @Test func `forgets a token after 63 days`() throws {
        var play = CommCarePlay()
        var device = CommCareDevice(user: "u")
        _ = device.sync(with: &play)
        play.now += 62 * 86400
        #expect(device.sync(with: &play).statuses == [200])
        play.now += 63 * 86400
        #expect(device.sync(with: &play).statuses == [412, 200])
    }
}
