import Notation
import OpenRosa
import Replaying
import Serving
import Testing
import Wire

@testable import SyncServers

struct ReplayModelTests {
    private static func made(_ id: String, _ owner: String = "o") -> String {
        CommCareSyncTests.block(id, owner: owner)
    }

    private static func text(_ answer: ServedAnswer) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    /// A device syncs, makes a case and syncs again.
    private static func session() -> RecordingPlay {
        var recording = RecordingPlay()
        var other = CommCareDevice(user: "u")
        _ = other.submit("f0", made("old"), to: &recording.play)
        var device = CommCareDevice(user: "u")
        #expect(device.sync(with: &recording).statuses == [200])
        #expect(device.submit("f1", made("one"), to: &recording) == 201)
        #expect(device.sync(with: &recording).statuses == [200])
        return recording
    }

    @Test func `a form that was not recorded is in the restore that follows`() {
        var play = Self.session().replay
        var device = CommCareDevice(user: "u")
        #expect(device.sync(with: &play) == ([200], 1))
        #expect(device.submit("f1", Self.made("one"), to: &play) == 201)
        #expect(device.submit("f2", Self.made("two"), to: &play) == 201)
        // The state hash fits, and what the device sent comes back once.
        #expect(device.sync(with: &play) == ([200], 2))
        #expect(play.sources == ["recorded", "recorded", "model", "model"])
        #expect(device.sync(with: &play) == ([200], 0))
        #expect(device.open == ["old", "one", "two"])
        var fresh = CommCareDevice(user: "u")
        #expect(fresh.sync(with: &play) == ([200], 3))
        #expect(fresh.open == device.open)
        #expect(fresh.set.cases == device.set.cases)
        // A form that comes again is taken once.
        #expect(fresh.submit("f2", Self.made("two"), to: &play) == 201)
        #expect(fresh.sync(with: &play) == ([200], 0))
        #expect(play.model.answered == 6)
    }

    @Test func `restores of a user for whom the model makes them are not needed`() {
        var play = Self.session().replay
        var device = CommCareDevice(user: "u")
        #expect(device.sync(with: &play) == ([200], 1))
        #expect(device.submit("f1", Self.made("one"), to: &play) == 201)
        #expect(play.model.takeNeedless().isEmpty)
        #expect(play.replay.unused == 1)
        #expect(device.submit("f2", Self.made("two"), to: &play) == 201)
        play.replay.relinquish(play.model.takeNeedless())
        #expect(play.replay.relinquished == 1)
        #expect(play.replay.unused == 0)
        #expect(play.replay.unused(limit: 9).isEmpty)
        #expect(play.model.takeNeedless().isEmpty)
    }

    @Test func `a sync token of the recording is known with its cases`() {
        var play = Self.session().replay
        var device = CommCareDevice(user: "someone else")
        #expect(device.sync(with: &play) == ([200], 1))
        #expect(device.submit("f1", Self.made("one"), to: &play) == 201)
        #expect(device.sync(with: &play) == ([200], 1))
        #expect(play.sources == ["recorded", "recorded", "recorded"])
        #expect(
            device.submit("f2", CommCareSyncTests.update("old", "<close/>"), to: &play) == 201)
        #expect(device.sync(with: &play) == ([200], 0))
        #expect(device.open == ["one"])
        // A token that nobody gave out, and a state that does not fit.
        let authorization = [("Authorization", "Basic dTpw"), ("X-OpenRosa-Version", "3.0")]
        let target = "/a/demo/phone/restore/?version=2.0&since="
        #expect(play.ask("GET", target + "nobody", authorization).status == 412)
        #expect(
            play.ask(
                "GET",
                "\(target)\(device.token ?? "")&state=ccsh:\(String(repeating: "0", count: 32))",
                authorization
            ).status == 412)
    }

    @Test func `a device may call its cases otherwise`() {
        var recording = RecordingPlay()
        var device = CommCareDevice(user: "u")
        #expect(device.sync(with: &recording).statuses == [200])
        #expect(device.submit("f1", Self.made("recorded-case"), to: &recording) == 201)
        #expect(device.sync(with: &recording) == ([200], 1))
        var play = recording.replay
        device = CommCareDevice(user: "u")
        #expect(device.sync(with: &play).statuses == [200])
        #expect(device.submit("f1", Self.made("live-case-of-mine"), to: &play) == 201)
        #expect(device.sync(with: &play) == ([200], 1))
        #expect(device.open == ["live-case-of-mine"])
        #expect(play.sources == ["recorded", "recorded", "recorded"])
        let update = CommCareSyncTests.update(
            "live-case-of-mine", "<update><p>1</p></update>")
        #expect(device.submit("f2", update, to: &play) == 201)
        #expect(device.sync(with: &play) == ([200], 1))
        #expect(play.sources.suffix(2) == ["model", "model"])
        #expect(device.set["live-case-of-mine"]?[property: "p"] == "1")
    }

    @Test func `what a later restore shows was there from the start`() {
        var play = Self.session().replay
        var device = CommCareDevice(user: "v")
        #expect(device.submit("new", Self.made("mine"), to: &play) == 201)
        #expect(device.sync(with: &play) == ([200], 2))
        // `one` is made by a form that did not come.
        #expect(device.open == ["mine", "old"])
        #expect(play.sources == ["model", "model"])
    }

    @Test func `a form may touch cases that the recording never shows`() {
        var recording = RecordingPlay()
        var device = CommCareDevice(user: "u")
        for id in ["seen", "unseen"] {
            #expect(device.submit("make \(id)", Self.made(id), to: &recording.play) == 201)
        }
        let update = CommCareSyncTests.update(
            "unseen", "<update><p>1</p></update>" + CommCareSyncTests.index("seen"))
        #expect(device.submit("f", update, to: &recording) == 201)
        var play = recording.replay
        #expect(device.submit("f", update, to: &play) == 201)
        let other = CommCareSyncTests.update("seen", "<update><p>2</p></update>")
        #expect(device.submit("g", other, to: &play) == 201)
        #expect(play.sources == ["recorded", "model"])
        var fresh = CommCareDevice(user: "u")
        #expect(fresh.sync(with: &play).statuses == [200])
        #expect(fresh.set["unseen"]?[property: "p"] == "1")
        #expect(fresh.set["seen"]?[property: "p"] == "2")
    }

    @Test func `a restore is given once more as long as nothing came since`() {
        var play = Self.session().replay
        var devices = [CommCareDevice](repeating: CommCareDevice(user: "u"), count: 3)
        #expect(devices[0].sync(with: &play) == ([200], 1))
        #expect(devices[1].sync(with: &play) == ([200], 1))
        #expect(devices[0].submit("f1", Self.made("one"), to: &play) == 201)
        #expect(devices[0].sync(with: &play) == ([200], 1))
        #expect(devices[2].sync(with: &play) == ([200], 2))
        #expect(devices[1].sync(with: &play) == ([200], 1))
        #expect(
            play.sources == ["recorded", "model", "recorded", "recorded", "model", "model"])
        for device in devices { #expect(device.open == ["old", "one"]) }
    }

    @Test func `users whom a form does not concern go on with the recording`() throws {
        let accounts = try Accounts(yaml: CommCareSyncTests.accounts)
        var recording = RecordingPlay(accounts: accounts)
        var ada = CommCareDevice(user: "ada", owners: Set(["ada1", "team"].map(ExactText.init)))
        var bob = CommCareDevice(user: "bob", owners: [ExactText("bob1")])
        for (id, owner) in [("a", "ada1"), ("t", "team"), ("b", "bob1")] {
            #expect(ada.submit("make \(id)", Self.made(id, owner), to: &recording.play) == 201)
        }
        ada = CommCareDevice(user: "ada", owners: ada.owners)
        let (adaAtFirst, bobAtFirst) = (ada, bob)
        for _ in 0..<2 {
            #expect(ada.sync(with: &recording).statuses == [200])
            #expect(bob.sync(with: &recording).statuses == [200])
        }
        #expect(ada.open == ["a", "t"])
        var play = recording.replay
        (ada, bob) = (adaAtFirst, bobAtFirst)
        #expect(ada.sync(with: &play) == ([200], 2))
        #expect(bob.sync(with: &play) == ([200], 1))
        #expect(ada.submit("new", Self.made("x", "ada1"), to: &play) == 201)
        #expect(ada.sync(with: &play) == ([200], 1))
        #expect(bob.sync(with: &play) == ([200], 0))
        #expect(
            play.sources == ["recorded", "recorded", "model", "model", "recorded"])
        #expect(ada.submit("gift", Self.made("y", "bob1"), to: &play) == 201)
        #expect(bob.sync(with: &play) == ([200], 1))
        #expect(bob.open == ["b", "y"])
        #expect(ada.sync(with: &play).statuses == [200])
        #expect(play.sources.suffix(3) == ["model", "model", "model"])
    }

    @Test func `what is asked for once more is answered as it was`() {
        var recording = RecordingPlay()
        let authorization = [("Authorization", "Basic dTpw")]
        let keys = recording.ask("GET", "/a/demo/phone/keys/", authorization)
        recording.add(
            "GET", "/a/demo/formList", authorization, [], .text(200, "<xforms>one</xforms>"))
        recording.add("GET", "/media/logo.png", [], [], .text(200, "a picture"))
        recording.add(
            "POST", "/1/app/authorize/", [],
            Array("{\"username\":\"Ann\",\"password\":\"p\"}".utf8),
            .json(200, "{\"username\":\"ann\",\"access_token\":\"t\",\"userid\":\"u\"}"))
        var play = recording.replay
        for source in ["recorded", "again"] {
            #expect(play.ask("GET", "/a/demo/phone/keys/", authorization).body == keys.body)
            #expect(Self.text(play.ask("GET", "/a/demo/formList")) == "<xforms>one</xforms>")
            #expect(Self.text(play.ask("GET", "/media/logo.png")) == "a picture")
            #expect(play.sources.suffix(3) == [source, source, source])
        }
        #expect(play.ask("GET", "/media/other.png").status == 404)
        #expect(play.ask("GET", "/a/demo/phone/heartbeat/?app_id=x", authorization).status == 200)
        let login = { (name: String) in
            Array("{\"username\":\"\(name)\",\"password\":\"other\"}".utf8)
        }
        let ann = play.ask("POST", "/1/app/authorize/", [], body: login("ann"))
        #expect(Self.text(ann).contains("\"access_token\":\"t\""))
        #expect(play.model.takeTokens().isEmpty)
        let bob = play.ask("POST", "/1/app/authorize/", [], body: login("bob"))
        #expect(bob.status == 200)
        let tokens = play.model.takeTokens()
        #expect(tokens.map(\.user) == ["bob"])
        #expect(Self.text(bob).contains(tokens.first?.token ?? "none"))
        #expect(play.model.takeTokens().isEmpty)
        #expect(play.sources.suffix(4) == ["nobody", "model", "again", "model"])
    }

    /// What one of several devices of a user does.
    private enum Step {
        case submit(String, String)
        case sync
    }

    private static func steps(
        _ count: Int, _ label: String, _ random: inout SplitMix64, _ made: inout [[String]]
    ) -> [(device: Int, step: Step)] {
        (0..<count).map { number in
            let device = Int.random(in: 0..<2, using: &random)
            guard Int.random(in: 0..<3, using: &random) > 0 else { return (device, .sync) }
            let id = "\(label)\(number)"
            guard let known = made[device].randomElement(using: &random),
                Bool.random(using: &random)
            else {
                var more = ""
                if let host = made[device].randomElement(using: &random),
                    Bool.random(using: &random)
                {
                    let kind = Bool.random(using: &random) ? "child" : "extension"
                    more = CommCareSyncTests.index(host, kind)
                }
                made[device].append(id)
                return (
                    device, .submit("form \(id)", CommCareSyncTests.block(id, owner: "o", more))
                )
            }
            let value = Int.random(in: 0..<100, using: &random)
            return (
                device,
                .submit(
                    "form \(id)",
                    CommCareSyncTests.update(known, "<update><p>\(value)</p></update>"))
            )
        }
    }

    private static func run(
        _ steps: [(device: Int, step: Step)], _ devices: inout [CommCareDevice],
        with play: inout some CommCareAnswering
    ) -> [Int] {
        var statuses: [Int] = []
        for (device, step) in steps {
            switch step {
            case .submit(let id, let cases):
                statuses.append(devices[device].submit(id, cases, to: &play))
            case .sync: statuses += devices[device].sync(with: &play).statuses
            }
        }
        return statuses
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a session that goes on otherwise ends as on a real server`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var made: [[String]] = [[], []]
        let start: [(device: Int, step: Step)] = [(0, .sync), (1, .sync)]
        let same = start + Self.steps(12, "r", &random, &made)
        let kept = Int.random(in: 2...same.count, using: &random)
        var recording = RecordingPlay()
        var devices = [CommCareDevice](repeating: CommCareDevice(user: "u"), count: 2)
        #expect(Self.run(same, &devices, with: &recording).allSatisfy { $0 < 300 })
        // Only what exists by then is touched later.
        made = [[], []]
        for (device, step) in same.prefix(kept) {
            guard case .submit(let id, let cases) = step, cases.contains("<create>") else {
                continue
            }
            made[device].append(String(id.dropFirst("form ".count)))
        }
        // A sync that comes first would be one of the recording, with what was sent by then.
        var others: [(device: Int, step: Step)] = [
            (0, .submit("other", CommCareSyncTests.block("other", owner: "o")))
        ]
        others += Self.steps(12, "n", &random, &made)
        others += [(0, .sync), (1, .sync), (0, .sync)]

        var real = CommCarePlay()
        var atReal = [CommCareDevice](repeating: CommCareDevice(user: "u"), count: 2)
        var play = recording.replay
        var atReplay = atReal
        let whole = Array(same.prefix(kept)) + others
        #expect(Self.run(whole, &atReal, with: &real).allSatisfy { $0 < 300 })
        let statuses = Self.run(whole, &atReplay, with: &play)
        #expect(statuses.allSatisfy { $0 < 300 }, "\(statuses)")
        for place in 0..<2 {
            #expect(atReplay[place].set.cases == atReal[place].set.cases)
            #expect(atReplay[place].set.stateHash == atReal[place].set.stateHash)
        }
        var fresh = CommCareDevice(user: "u")
        #expect(fresh.sync(with: &play).statuses == [200])
        #expect(fresh.open == atReal[0].open)
    }
}
