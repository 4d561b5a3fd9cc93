import Notation
import OpenRosa
import Serving
import Testing
import Wire

@testable import SyncServers

struct CommCareSliceTests {
    /// A server with `count` cases, every seventh closed, some with parents, hosts and ledgers.
    static func play(
        _ count: Int, slice: Int = 10, polls: Int = 0, accounts: Accounts = .open
    ) -> CommCarePlay {
        var options = CommCareServer.Options(restorePolls: polls, retryAfter: 5)
        options.restoreSlice = slice
        var play = CommCarePlay(options, accounts: accounts)
        let ids = 0..<count
        for start in stride(from: 0, to: count, by: 50) {
            let blocks = ids[start..<min(start + 50, count)].map { place in
                let kind = place % 5 == 1 ? "extension" : "child"
                let index =
                    place % 5 > 0 && place % 5 < 3
                    ? CommCareSyncTests.index("c\(place - 1)", kind) : ""
                let close = place % 7 == 3 ? "<close/>" : ""
                let update = "<update><a>&lt;\(place)&gt;</a></update>"
                return CommCareSyncTests.block(
                    "c\(place)", owner: place % 3 == 0 ? "ada1" : "team\(place % 4)",
                    update + index + close)
            }
            let ledgers = [start, start + 1].map { place in
                "<balance xmlns=\"http://commcarehq.org/ledger/v1\" entity-id=\"c\(place)\" "
                    + "date=\"2026-01-01\" section-id=\"s\"><entry id=\"e\" quantity=\"\(place)\"/>"
                    + "</balance>"
            }
            let form = CommCareServerTests.form("f\(start)", blocks.joined() + ledgers.joined())
            #expect(
                play.ask("POST", "/a/demo/receiver/", [ada], body: Array(form.utf8)).status == 201)
        }
        return play
    }

    static let ada = ("Authorization", "Basic YWRhOnA=")
    static let patient = ("X-OpenRosa-Version", "3.0")

    static func restore(
        _ play: inout CommCarePlay, _ query: String = "", _ fields: [(String, String)] = [patient]
    ) -> ServedAnswer {
        play.ask("GET", "/a/demo/phone/restore/?items=true\(query)", [ada] + fields)
    }

    /// `done` and `total` of a 202.
    static func progress(_ answer: ServedAnswer) -> [Int] {
        String(decoding: answer.body, as: UTF8.self).split(separator: "\"").compactMap { Int($0) }
            .prefix(2).map { $0 }
    }

    static func field(_ answer: ServedAnswer, _ name: String) -> String? {
        answer.fields.first { $0.name == name }?.value
    }

    static func making(
        _ play: CommCarePlay, since: DeviceLog? = nil, gzip: Bool = false
    )
        -> RestoreMaking
    {
        var order = RestoreOrder(domain: "demo", user: "ada1")
        order.hasItems = true
        order.isCompressed = gzip
        return RestoreMaking(
            play.server.domains["demo"] ?? CommCareDomain(),
            .init(
                order: order, user: play.server.accounts.user(named: "ada") ?? .init(name: "ada"),
                owners: play.server.accounts.isOpen
                    ? nil : [ExactText("ada1"), ExactText("team1")],
                id: "token", now: play.now, isKept: true), since: since)
    }

    /// What a basis has about cases.
    static func cases(_ basis: [UInt8]) -> JSONValue? {
        (try? JSONValue(parsing: String(decoding: basis, as: UTF8.self)))?["cases"]
    }

    @Test(arguments: [true, false], [true, false])
    func `the bytes are the same however a restore is cut`(isOpen: Bool, isFull: Bool) throws {
        let accounts =
            isOpen
            ? Accounts.open
            : try Accounts(
                yaml: "users: [{name: ada, password: p, uuid: ada1, groups: [team1]}]")
        var play = Self.play(200, accounts: accounts)
        var since: DeviceLog?
        if !isFull {
            var first = Self.making(play)
            var all = Int.max
            first.advance(&all)
            since = first.take().log
            let changes =
                CommCareSyncTests.update("c9", "<update><a>9</a></update>")
                + CommCareSyncTests.update("c30", "<close/>")
                + CommCareSyncTests.block("new", owner: "ada1")
            let form = CommCareServerTests.form("more", changes)
            #expect(
                play.ask("POST", "/a/demo/receiver/", [Self.ada], body: Array(form.utf8)).status
                    == 201)
        }
        var whole = Self.making(play, since: since)
        var all = Int.max
        whole.advance(&all)
        #expect(whole.isDone && whole.done == whole.total)
        let (body, log, basis) = whole.take()
        let read = CommCareReader.read(body)
        #expect(read.error == nil)
        let sent = read.events.count { if case .caseBlock = $0 { true } else { false } }
        #expect(isFull ? sent > 20 : sent == 3)
        for seed in 0..<30 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var making = Self.making(play, since: since, gzip: seed % 2 == 1)
            var done = 0
            while !making.isDone {
                var budget = seed == 0 ? 1 : Int.random(in: 1...200, using: &random)
                making.advance(&budget)
                #expect(making.done >= done && making.done <= making.total)
                #expect(making.isDone == (making.done == making.total))
                done = making.done
            }
            let (cutBody, cutLog, cutBasis) = making.take()
            let plain = try seed % 2 == 1 ? Gzip.decode(cutBody, "gzip", most: 1 << 24) : cutBody
            // Not the arrays themselves, which would be printed.
            #expect(plain.map { $0 == body } == true)
            #expect(cutLog == log)
            // The owners are a set.
            #expect(Self.cases(cutBasis) == Self.cases(basis) && cutBasis.count == basis.count)
        }
    }

    @Test func `sorts however it is cut`() {
        for seed in 0..<60 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let numbers = (0..<Int(seed) * 9).map { place in
                (key: Int.random(in: 0..<50, using: &random), place: place)
            }
            var sort = SlicedSort(numbers) { $0.key < $1.key }
            while !sort.isDone {
                var budget = Int.random(in: 1...40, using: &random)
                sort.advance(&budget)
            }
            // Stable, as sorted(by:) is.
            let expected = numbers.sorted { ($0.key, $0.place) < ($1.key, $1.place) }
            #expect(sort.elements.map(\.place) == expected.map(\.place))
        }
    }

    @Test func `gives progress that grows, and then the restore once`() {
        var play = Self.play(300)
        var seen: [Int] = []
        var answer = Self.restore(&play)
        while answer.status == 202 {
            #expect(Self.field(answer, "Retry-After") == "5")
            let progress = Self.progress(answer)
            #expect(progress.count == 2 && progress[1] == 300)
            seen.append(progress[0])
            play.server.work(150)
            answer = Self.restore(&play)
        }
        #expect(answer.status == 200)
        #expect(seen.first == 0 && seen.count > 5)
        #expect(seen == seen.sorted() && Set(seen).count > seen.count / 2)
        #expect(!play.server.hasRestores)
        #expect(play.server.domains["demo"]?.logs.count == 1)
        // Those who do not know the 202 get it at once here, with the same cases.
        let old = Self.restore(&play, "", [])
        #expect(old.status == 200 && old.body.count == answer.body.count)
        #expect(Self.restore(&play).status == 202)
    }

    @Test(arguments: [(300, 202), (299, 202), (10, 200), (0, 200)])
    func `makes as many as the bound at once`(cases: Int, status: Int) {
        for slice in [0, 10, 298] {
            var play = Self.play(cases, slice: slice)
            #expect(Self.restore(&play).status == (slice == 0 ? 200 : status))
        }
    }

    @Test func `what is submitted meanwhile belongs to the next sync`() {
        var play = Self.play(100)
        var (a, b) = (CommCareDevice(user: "ada"), CommCareDevice(user: "bob"))
        #expect(a.sync(with: &play).statuses == [202])
        play.server.work(100)
        let blocks =
            CommCareSyncTests.block("late", owner: "o")
            + CommCareSyncTests.update("c0", "<update><a>late</a></update>")
            + CommCareSyncTests.update("c20", "<close/>")
        #expect(b.submit("late", blocks, to: &play) == 201)
        play.server.work(1_000_000)
        #expect(a.sync(with: &play).statuses == [200])
        #expect(a.set["late"] == nil)
        #expect(a.set["c0"]?[property: "a"] == "<0>" && a.set["c20"]?.isClosed == false)
        #expect(a.sync(with: &play).statuses == [202])
        play.server.work(1_000_000)
        #expect(a.sync(with: &play) == ([200], 3))
        #expect(a.set["late"] != nil && a.set["c0"]?[property: "a"] == "late")
        #expect(a.set["c20"]?.isClosed == true)
    }

    @Test func `a form of the device itself makes its restore begin again`() {
        var play = Self.play(100)
        var device = CommCareDevice(user: "ada")
        #expect(device.sync(with: &play).statuses == [202])
        play.server.work(1_000_000)
        #expect(device.sync(with: &play).statuses == [200])
        #expect(device.sync(with: &play).statuses == [202])
        play.server.work(1_000_000)
        #expect(
            device.submit("f", CommCareSyncTests.block("mine", owner: "o"), to: &play) == 201)
        #expect(!play.server.hasRestores)
        #expect(device.sync(with: &play).statuses == [202])
        play.server.work(1_000_000)
        #expect(device.sync(with: &play).statuses == [200])
        #expect(device.set["mine"] != nil)
        // Had the restore been the one before the form, the hash would be wrong by now.
        #expect(device.sync(with: &play).statuses == [202])
    }

    @Test func `a client that gives up leaves nothing behind`() {
        var play = Self.play(100)
        for work in [0, 100, 1_000_000] {
            #expect(Self.restore(&play).status == 202)
            play.server.work(work)
            play.now += 69
            play.server.tidy(now: play.now)
            #expect(play.server.hasRestores)
            play.now += 1
            play.server.tidy(now: play.now)
            #expect(!play.server.hasRestores && !play.server.hasWork)
        }
        #expect(play.server.domains["demo"]?.logs.isEmpty == true)
        // Whoever asks again in time keeps it.
        #expect(Self.restore(&play).status == 202)
        play.server.work(1_000_000)
        play.now += 60
        play.server.tidy(now: play.now)
        #expect(Self.restore(&play).status == 200)
    }

    @Test func `keeps a bounded number of them`() {
        var play = Self.play(100)
        func ask(_ device: Int) -> ServedAnswer { Self.restore(&play, "&device_id=\(device)") }
        for device in 0..<20 { #expect(ask(device).status == 202) }
        play.server.work(1)
        while play.server.hasWork { play.server.work(1000) }
        let answers = (0..<20).map(ask)
        #expect(answers.prefix(RestoreLine.most).allSatisfy { $0.status == 200 })
        // Those for whom there was no room begin as soon as there is.
        #expect(answers.dropFirst(RestoreLine.most).allSatisfy { $0.status == 202 })
        while play.server.hasWork { play.server.work(1000) }
        #expect((8..<16).allSatisfy { ask($0).status == 200 })
    }

    @Test func `restores that are made together go on in turn`() {
        var play = Self.play(100)
        func ask(_ device: Int) -> ServedAnswer { Self.restore(&play, "&device_id=\(device)") }
        for device in 0..<3 { #expect(ask(device).status == 202) }
        for _ in 0..<3 { play.server.work(400) }
        let done = (0..<3).map { Self.progress(ask($0))[0] }
        #expect(done[0] > 0 && Set(done).count == 1)
    }

    @Test func `polls that are asked for come on top`() {
        var play = Self.play(100, polls: 3)
        var seen: [Int] = []
        for _ in 0..<3 {
            seen.append(Self.progress(Self.restore(&play)).first ?? -1)
            play.server.work(1_000_000)
        }
        #expect(seen == [0, 33, 66])
        #expect(Self.restore(&play).status == 200)
        // What is not done after them goes on with its own progress.
        for _ in 0..<3 { #expect(Self.progress(Self.restore(&play)).first == 0) }
        #expect(Self.restore(&play).status == 202)
        play.server.work(1_000_000)
        #expect(Self.restore(&play).status == 200)
    }

    @Test func `asking again does not count as a restore`() {
        var options = CommCareServer.Options()
        options.restoresPerMinute = 1
        options.restoreSlice = 10
        var play = CommCarePlay(options)
        play.server.domains = Self.play(100).server.domains
        #expect((0..<5).map { _ in Self.restore(&play).status } == [202, 202, 202, 202, 202])
        play.server.work(1_000_000)
        #expect(Self.restore(&play).status == 200)
        #expect(Self.restore(&play).status == 429)
    }

    @Test func `compresses as it goes for whoever takes that`() throws {
        var play = Self.play(300)
        let fields = [Self.patient, ("Accept-Encoding", "gzip")]
        #expect(Self.restore(&play, "", fields).status == 202)
        // Another request than the one before: nobody gets what cannot be read.
        #expect(Self.restore(&play).status == 202)
        while play.server.hasWork { play.server.work(100) }
        let packed = Self.restore(&play, "", fields)
        let plain = Self.restore(&play)
        #expect(Self.field(packed, "Content-Encoding") == "gzip")
        #expect(packed.fields.count { $0.name == "Vary" } == 1)
        #expect(Self.field(plain, "Content-Encoding") == nil)
        let body = try #require(try Gzip.decode(packed.body, "gzip", most: 1 << 24))
        #expect(body.count == plain.body.count && packed.body.count < plain.body.count / 4)
    }

    @Test func `a restore made in slices is remembered on the disk`() throws {
        var play = Self.play(60)
        var making = Self.making(play)
        var all = Int.max
        making.advance(&all)
        let (_, log, basis) = making.take()
        let json = try JSONValue(parsing: String(decoding: basis, as: UTF8.self))
        guard case .array(let cases) = json["cases"], case .array(let owners) = json["owners"]
        else {
            Issue.record("no basis")
            return
        }
        #expect(cases.count == log.cases.caseIDs.count && cases.count > 20)
        #expect(Set(owners.compactMap(\.string)) == Set(log.cases.ownerIDs.map(\.string)))
        #expect(play.ask("GET", "/formList").status == 200)
    }
}
